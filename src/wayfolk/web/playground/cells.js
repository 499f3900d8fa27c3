// Cells: what is in a cell, in words, and the cells along a line.

export const PLAIN = 4; // quarters that a cell costs without terrain

/** @param {any} panel @param {number} index */
export function wordsAt(panel, index) {
  const { timeline } = panel;
  const words = [`(${index % timeline.width}, ${Math.floor(index / timeline.width)})`];
  if (timeline.terrain && timeline.terrain[index] !== PLAIN) words.push(`costs ${timeline.terrain[index] / PLAIN}`);
  if (timeline.walls[index]) words.push("wall");
  else if (timeline.isLive) {
    const agent = timeline.agentAt(index, timeline.end);
    if (agent >= 0) words.push(`agent ${agent}`);
  } else if (timeline.search) words.push(...timeline.search.describe(index).slice(1));
  return words.join(", ");
}

/** The cells from one index to another. @param {number} from @param {number} to @param {number} width */
export function line(from, to, width) {
  const [x0, y0, x1, y1] = [from % width, Math.floor(from / width), to % width, Math.floor(to / width)];
  const n = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0));
  return Array.from({ length: n + 1 }, (_, i) => {
    const part = n ? i / n : 0;
    return Math.round(y0 + part * (y1 - y0)) * width + Math.round(x0 + part * (x1 - x0));
  });
}
