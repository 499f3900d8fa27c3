// Insight: what a live panel shows of agents besides their moves: what they have reserved, who waits for whom, one-way maps.

import { drawArrow } from "../replay/arrows.js";
import { NOWHERE } from "../replay/decode.js";
import { clamp } from "../replay/numbers.js";

const MOST_DRAWN = 12_000; // reservations on the map; of more, those that are near
const NEAR = 6; // steps ahead
const LEAST_CELL = 7; // pixels of a cell on which one-way maps are drawn
const MOST_COLUMNS = 48; // cells of a slice
const MOST_ROWS = 24; // steps of a slice
const ROW_HEIGHT = 7; // pixels

export class Insight {
  /** @param {any} panel  a live panel */
  constructor(panel) {
    this.panel = panel;
    this.timeline = panel.timeline;
    this.streets = { canvas: document.createElement("canvas"), of: "" };
    this.told = document.createElement("p");
    this.told.className = "caption";
    this.slice = new Slice(panel);
    panel.root.querySelector(".side").append(this.told, this.slice.root);
    panel.painter.under.push((pen, t, show) => this.drawUnder(pen, t, show));
    panel.painter.over.push((pen, t, show) => show.waits && this.drawWaits(pen, t));
  }

  drawUnder(pen, t, show) {
    if (show.flow && this.timeline.moves) this.drawStreets(pen);
    if (show.ahead) this.drawAhead(pen, t);
  }

  /** What is told beside the map. @param {number} t @param {any} show */
  tell(t, show) {
    this.slice.root.hidden = !show.ahead;
    if (show.ahead) this.slice.draw(t);
    this.told.hidden = !show.waits;
    if (!show.waits) return;
    const { pairs, cycles } = this.timeline.waitsAt(t);
    const waiting = new Set(pairs.map(([agent]) => agent)).size;
    const listed = cycles.slice(0, 3).map((cycle) => cycle.slice(0, 6).join(", ") + (cycle.length > 6 ? " \u2026" : ""));
    const text = `${waiting} ${waiting === 1 ? "waits" : "wait"} for others${cycles.length ? `; cycles: ${listed.join("; ")}` : ""}`;
    if (this.told.textContent !== text) this.told.textContent = text;
  }

  // --- one-way maps: an arrow for each move whose way back is closed

  drawStreets(pen) {
    const { view, theme, themeVersion, backdrop } = this.panel.painter;
    const { streets } = this;
    if (view.scale < LEAST_CELL * devicePixelRatio) return;
    const key = [view.version, themeVersion, backdrop.version, this.timeline.movesVersion].join();
    if (key !== streets.of) {
      streets.of = key;
      streets.canvas.width = view.wide;
      streets.canvas.height = view.high;
      const brush = streets.canvas.getContext("2d");
      const { width, height, moves, directions } = this.timeline;
      const size = 0.42 * view.scale;
      brush.globalAlpha = 0.55;
      for (let index = 0; index < moves.length; index++) {
        const [x, y] = [index % width, Math.floor(index / width)];
        directions.forEach(([dx, dy], k) => {
          if (!((moves[index] >> k) & 1) || x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height) return;
          const back = directions.findIndex(([bx, by]) => bx === -dx && by === -dy);
          if ((moves[index + dy * width + dx] >> back) & 1) return;
          const [px, py] = [view.screenX(x + 0.5 + 0.34 * dx), view.screenY(y + 0.5 + 0.34 * dy)];
          drawArrow(brush, px, py, dx, dy, size, theme.quiet);
        });
      }
    }
    pen.globalAlpha = 1;
    pen.drawImage(streets.canvas, 0, 0);
  }

  // --- reservations on the map: the farther ahead, the smaller and paler

  drawAhead(pen, t) {
    const { painter, replay } = this.panel;
    const { view } = painter;
    const { timeline } = this;
    const rows = timeline.aheadAt(t);
    const far = rows.length / 3 > MOST_DRAWN ? NEAR : MOST_ROWS;
    for (let i = 0; i < rows.length; i += 3) {
      const [agent, cell, ahead] = [rows[i], rows[i + 1], rows[i + 2]];
      if (ahead > far) continue;
      const isOther = replay.follow >= 0 && agent !== replay.follow;
      const side = view.scale * (0.86 - (0.5 * ahead) / MOST_ROWS);
      pen.globalAlpha = (isOther ? 0.08 : 0.42) * (1 - (0.75 * ahead) / (far + 1));
      pen.fillStyle = painter.colour(agent);
      pen.fillRect(view.screenX(timeline.x(cell) + 0.5) - side / 2, view.screenY(timeline.y(cell) + 0.5) - side / 2, side, side);
    }
    pen.globalAlpha = 1;
  }

  // --- who waits for whom: an arrow, red where they wait in a circle

  drawWaits(pen, t) {
    const { xs, ys, isShown, view, theme, radius } = this.panel.painter;
    const { pairs, cycles } = this.timeline.waitsAt(t);
    const round = new Set(cycles.flatMap((cycle) => cycle.map((agent, i) => `${agent} ${cycle[(i + 1) % cycle.length]}`)));
    for (const [agent, other] of pairs) {
      if (!isShown[agent] || !isShown[other]) continue;
      const isRound = round.has(`${agent} ${other}`);
      const [dx, dy] = [xs[other] - xs[agent], ys[other] - ys[agent]];
      const long = Math.hypot(dx, dy) || 1;
      const aside = (isRound ? 0.14 * view.scale : 0) / long; // two that wait for each other have two arrows
      const [x, y] = [xs[agent] - aside * dy, ys[agent] + aside * dx];
      pen.strokeStyle = pen.fillStyle = isRound ? theme.alarm : `rgb(${theme.tones.orange.join(" ")})`;
      pen.lineWidth = Math.max((isRound ? 0.16 : 0.1) * view.scale, 1.5 * devicePixelRatio);
      pen.globalAlpha = 0.95;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + 0.86 * dx, y + 0.86 * dy);
      pen.stroke();
      pen.beginPath();
      const barb = Math.max(0.45 * radius, 3 * devicePixelRatio);
      pen.arc(x + 0.86 * dx, y + 0.86 * dy, barb * (isRound ? 0.8 : 0.6), 0, 7);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }
}

// Slice: a row or a column of the map through time: across are its cells, and downwards the coming steps. A square is a cell
// that an agent has reserved for that step.
class Slice {
  constructor(panel) {
    this.panel = panel;
    this.isColumn = false;
    this.root = document.createElement("div");
    this.root.className = "slice";
    this.caption = document.createElement("button");
    this.caption.title = "Show a column of the map instead of a row, or the other way round";
    this.caption.addEventListener("click", () => {
      this.isColumn = !this.isColumn;
      panel.replay.ask();
    });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Reservations in space and time: cells across, coming steps downwards");
    this.root.append(this.caption, this.canvas);
    this.root.hidden = true;
  }

  // The row or column of the pointer, else that of the agent that is followed, else the one with most reservations.
  chosen(t, rows) {
    const { timeline, replay, looksLike } = this.panel;
    const { pointed, follow } = replay;
    const along = (x, y) => (this.isColumn ? x : y);
    if (pointed && looksLike.call(this.panel, pointed.panel)) {
      const { width } = timeline;
      this.middle = along(Math.floor(pointed.index / width), pointed.index % width);
      return along(pointed.index % width, Math.floor(pointed.index / width));
    }
    const cell = follow >= 0 ? timeline.cellOf(follow, t) : NOWHERE;
    if (cell !== NOWHERE) {
      this.middle = along(timeline.y(cell), timeline.x(cell));
      return along(timeline.x(cell), timeline.y(cell));
    }
    const counts = new Map();
    for (let i = 0; i < rows.length; i += 3) {
      const line = along(timeline.x(rows[i + 1]), timeline.y(rows[i + 1]));
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
    this.middle = Math.floor((this.isColumn ? timeline.height : timeline.width) / 2);
    return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0];
  }

  /** @param {number} t */
  draw(t) {
    const { timeline, painter, replay } = this.panel;
    const rows = timeline.aheadAt(t);
    const line = this.chosen(t, rows);
    const size = this.isColumn ? timeline.height : timeline.width;
    const columns = Math.min(size, MOST_COLUMNS);
    const first = clamp(this.middle - Math.floor(columns / 2), 0, size - columns);
    let deepest = 4;
    for (let i = 2; i < rows.length; i += 3) deepest = Math.max(deepest, Math.min(rows[i], MOST_ROWS));
    const text = `Reserved in ${this.isColumn ? "column" : "row"} ${line}, next ${deepest} steps`;
    if (this.caption.textContent !== text) this.caption.textContent = text;
    const ratio = devicePixelRatio;
    const wide = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const high = Math.round((deepest + 1) * ROW_HEIGHT * ratio);
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      [this.canvas.width, this.canvas.height] = [wide, high];
      this.canvas.style.height = `${high / ratio}px`;
    }
    const pen = this.canvas.getContext("2d");
    const [step, tall] = [wide / columns, high / (deepest + 1)];
    const { theme } = replay;
    pen.globalAlpha = 1;
    pen.fillStyle = theme.floor;
    pen.fillRect(0, 0, wide, high);
    pen.fillStyle = theme.wall;
    for (let k = 0; k < columns; k++) {
      const index = this.isColumn ? (first + k) * timeline.width + line : line * timeline.width + first + k;
      if (timeline.walls[index]) pen.fillRect(Math.round(k * step), 0, Math.ceil(step), high);
    }
    const square = (agent, cell, ahead) => {
      const [x, y] = this.isColumn ? [timeline.y(cell), timeline.x(cell)] : [timeline.x(cell), timeline.y(cell)];
      if (y !== line || x < first || x >= first + columns || ahead > deepest) return;
      pen.fillStyle = painter.colour(agent);
      pen.globalAlpha = ahead ? (replay.follow < 0 || replay.follow === agent ? 0.8 : 0.3) : 1;
      pen.fillRect((x - first) * step + 0.5, ahead * tall + 0.5, step - 1, tall - 1);
    };
    timeline.momentAt(t).cells.forEach((cell, agent) => cell !== NOWHERE && square(agent, cell, 0));
    for (let i = 0; i < rows.length; i += 3) square(rows[i], rows[i + 1], rows[i + 2]);
    pen.globalAlpha = 1;
    pen.fillStyle = theme.ink;
    pen.fillRect(0, tall, wide, Math.max(1, ratio));
  }
}
