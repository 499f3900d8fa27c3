// Lanes: which way agents usually go, learned from the moves of a timeline as wayfolk.DirectionMap learns it.
//
// A move teaches its direction to the cell it leaves and the cell it enters: the vector of each moves towards it by
// `alpha`. Of all that happens at one time, cells that are blocked forget first, then those that are left learn, then
// those that are entered: the order in which the referee lets agents move, those in front first. Vectors are kept for
// one time, and moved to another by doing or undoing the lessons between.

import { orderBy, upperBound } from "./numbers.js";

export const FORGET = 8; // a lesson that is none of the eight directions
// The eight directions clockwise from east, as vectors of length 1, and a zero vector last.
const HALF = Math.SQRT1_2;
export const HEADING_X = [1, HALF, 0, -HALF, -1, -HALF, 0, HALF, 0];
export const HEADING_Y = [0, HALF, 1, HALF, 0, -HALF, -1, -HALF, 0];

export class Lanes {
  constructor(timeline, alpha) {
    this.timeline = timeline;
    this.alpha = alpha;
    this.done = 0;
    this.x = new Float32Array(timeline.width * timeline.height);
    this.y = new Float32Array(timeline.width * timeline.height);
  }

  // Lessons by time; made when first needed, since not every replay shows lanes.
  /** @returns {any} */
  get lessons() {
    if (this.made) return this.made;
    const { timeline } = this;
    const { time, from, to, span } = timeline.places;
    const changes = timeline.changes;
    const index = (cell) => timeline.y(cell) * timeline.width + timeline.x(cell);
    const blocks = Array.from(changes.time.keys()).filter((i) => changes.value[i]);
    const moves = Uint32Array.from(time.keys()).filter((row) => span[row] > 0 && heading(timeline, from[row], to[row]) >= 0);
    const size = blocks.length + 2 * moves.length;
    const ticks = new Uint32Array(size);
    const cells = new Uint32Array(size);
    const headings = new Uint8Array(size);
    let at = 0;
    const add = (when, cell, way) => {
      ticks[at] = Math.round(when / timeline.tick);
      cells[at] = cell;
      headings[at++] = way;
    };
    for (const i of blocks) add(changes.time[i], changes.index[i], FORGET);
    for (const cellOf of [from, to]) {
      for (const row of moves) add(time[row], index(cellOf[row]), heading(timeline, from[row], to[row]));
    }
    const order = orderBy(ticks);
    this.made = {
      time: Float64Array.from(order, (i) => ticks[i] * timeline.tick),
      cell: Uint32Array.from(order, (i) => cells[i]),
      heading: Uint8Array.from(order, (i) => headings[i]),
      beforeX: new Float32Array(size),
      beforeY: new Float32Array(size),
    };
    return this.made;
  }

  // Bring the vectors to time `t`; tells `changed` each index whose vector is not what it was.
  moveTo(t, changed) {
    const { x, y, lessons } = this;
    const { time, cell, heading, beforeX, beforeY } = lessons;
    const until = upperBound(time, t, 0, lessons.size ?? time.length);
    for (; this.done < until; this.done++) {
      const i = this.done;
      const index = cell[i];
      beforeX[i] = x[index];
      beforeY[i] = y[index];
      const rate = heading[i] === FORGET ? 1 : this.alpha;
      x[index] += rate * (HEADING_X[heading[i]] - x[index]);
      y[index] += rate * (HEADING_Y[heading[i]] - y[index]);
      changed(index);
    }
    while (this.done > until) {
      const i = --this.done;
      x[cell[i]] = beforeX[i];
      y[cell[i]] = beforeY[i];
      changed(cell[i]);
    }
  }
}

// Which of the eight leads from a cell to another, -1 if they are not neighbours.
export function heading(timeline, here, there) {
  const dx = timeline.x(there) - timeline.x(here);
  const dy = timeline.y(there) - timeline.y(here);
  if (Math.abs(dx) > 1 || Math.abs(dy) > 1) return -1;
  return [5, 6, 7, 4, -1, 0, 3, 2, 1][3 * dy + dx + 4];
}
