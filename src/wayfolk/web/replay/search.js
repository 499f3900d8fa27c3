// Search: what a search knew of each cell at any time, and its picture.
//
// Rows are by time, as `searches.py` wrote them. What is known of cells is kept for one time, and moved to another by doing
// or undoing the rows between. The picture has a pixel for each cell, scaled to the view; only changed rows of it are
// drawn anew.

import { NOWHERE } from "./decode.js";
import { count, upperBound } from "./numbers.js";

const [UNSEEN, OPEN, CLOSED, OPEN_BACK, CLOSED_BACK] = [0, 1, 2, 3, 4];
export { UNSEEN, OPEN, CLOSED, OPEN_BACK };
const STATE_NAMES = ["not seen", "open", "closed", "open, from the goal", "closed, from the goal"];
const [ROW_OPENED, ROW_CLOSED, , ROW_LEARNED, ROW_SCANNED, ROW_OPENED_BACK, ROW_CLOSED_BACK] = [0, 1, 2, 3, 4, 5, 6];
export { ROW_OPENED };
export const NEVER = 0xffffffff;

export class Search {
  constructor(head, buffer, timeline) {
    const { rows } = head;
    this.start = head.start;
    this.goal = head.goal;
    this.end = head.end;
    this.unit = head.unit;
    this.leaps = head.leaps;
    this.path = head.path;
    this.timeline = timeline;
    this.width = timeline.width;
    this.rows = rows;
    this.done = 0;
    const bytes = new Uint8Array(buffer);
    let at = 0;
    const column = (n) => bytes.subarray(at, (at += n));
    const words = (n) => {
      const parts = [column(n), column(n), column(n), column(n)];
      const whole = new Uint32Array(n);
      for (let i = 0; i < n; i++) whole[i] = parts[0][i] + (parts[1][i] << 8) + (parts[2][i] << 16) + parts[3][i] * 16777216;
      return whole;
    };
    let tick = 0;
    this.time = Float64Array.from(words(rows), (gap) => (tick += gap) * head.tick);
    const index = (cell) => (cell === NOWHERE ? NEVER : timeline.y(cell) * this.width + timeline.x(cell));
    this.cell = words(rows).map(index);
    this.other = words(rows).map(index);
    this.kind = column(rows);
    this.newG = new Float32Array(words(rows).buffer);
    this.newH = new Float32Array(words(rows).buffer);
    this.startIndex = index(head.start);
    this.goalIndex = index(head.goal);

    const size = this.width * timeline.height;
    this.state = new Uint8Array(size);
    this.number = new Uint32Array(size).fill(NEVER); // how many cells were expanded before it
    this.g = new Float32Array(size).fill(NaN);
    this.h = new Float32Array(size).fill(NaN);
    this.learned = new Float32Array(size).fill(NaN);
    this.parent = new Uint32Array(size).fill(NEVER);
    this.scans = new Uint16Array(size);
    // what undoing a row brings back
    this.oldState = new Uint8Array(rows);
    this.oldNumber = new Uint32Array(rows);
    this.oldG = new Float32Array(rows);
    this.oldH = new Float32Array(rows);
    this.oldParent = new Uint32Array(rows);
    this.count = [0, 0, 0, 0, 0]; // cells in each state
    this.nExpanded = 0;
    this.nScanned = 0;
    /** @type {Uint32Array | null} */
    this.oldNewest = null;
    this.newest = NEVER; // the cell that was closed last
    const kinds = new Set(this.kind);
    this.hasScans = kinds.has(ROW_SCANNED);
    this.hasLearned = kinds.has(ROW_LEARNED);
    this.isBothWays = kinds.has(ROW_OPENED_BACK);
    this.nClosings = count(this.kind, (kind) => kind === ROW_CLOSED || kind === ROW_CLOSED_BACK);
    this.isTimedByExpansions = head.unit === "expansions";
    this.total = this.isTimedByExpansions ? head.end : this.nClosings;
    this.measureLearned();
  }

  // How much the heuristic of any cell rises, for the scale of its colours.
  measureLearned() {
    this.mostLearned = 0;
    const first = new Map();
    for (let row = 0; row < this.rows; row++) {
      if (this.kind[row] !== ROW_LEARNED || !Number.isFinite(this.newH[row])) continue;
      const cell = this.cell[row];
      if (!first.has(cell)) first.set(cell, this.guess(cell));
      this.mostLearned = Math.max(this.mostLearned, this.newH[row] - first.get(cell));
    }
  }

  // The distance to the goal on an empty map.
  guess(index) {
    const dx = Math.abs((index % this.width) - (this.goalIndex % this.width));
    const dy = Math.abs(Math.floor(index / this.width) - Math.floor(this.goalIndex / this.width));
    return this.timeline.diagonals ? Math.max(dx, dy) + (this.timeline.diagonal - 1) * Math.min(dx, dy) : dx + dy;
  }

  // Bring what is known to time `t`; tells `changed` each index whose look is not what it was.
  moveTo(t, changed) {
    const until = upperBound(this.time, t, 0, this.rows);
    while (this.done < until) this.redo(this.done++, changed);
    while (this.done > until) this.undo(--this.done, changed);
  }

  redo(row, changed) {
    const { kind, cell, state, number, g, h, parent } = this;
    const index = cell[row];
    if (kind[row] === ROW_SCANNED) {
      this.run(row, 1, changed);
      return;
    }
    this.oldState[row] = state[index];
    this.oldG[row] = g[index];
    this.oldParent[row] = parent[index];
    this.oldNumber[row] = number[index];
    this.oldH[row] = kind[row] === ROW_LEARNED ? this.learned[index] : h[index];
    if (kind[row] === ROW_OPENED || kind[row] === ROW_OPENED_BACK) {
      g[index] = this.newG[row];
      h[index] = this.newH[row];
      parent[index] = this.other[row];
      this.enter(index, kind[row] === ROW_OPENED ? OPEN : OPEN_BACK);
    } else if (kind[row] === ROW_CLOSED || kind[row] === ROW_CLOSED_BACK) {
      number[index] = this.isTimedByExpansions ? Math.round(this.time[row]) - 1 : this.nExpanded;
      this.nExpanded++;
      this.oldNewest ||= new Uint32Array(this.rows);
      this.oldNewest[row] = this.newest;
      this.newest = index;
      this.enter(index, kind[row] === ROW_CLOSED ? CLOSED : CLOSED_BACK);
    } else if (kind[row] === ROW_LEARNED) this.learned[index] = this.newH[row];
    else this.enter(index, UNSEEN);
    changed(index);
  }

  undo(row, changed) {
    const { kind, cell } = this;
    const index = cell[row];
    if (kind[row] === ROW_SCANNED) {
      this.run(row, -1, changed);
      return;
    }
    if (kind[row] === ROW_LEARNED) this.learned[index] = this.oldH[row];
    else {
      if (kind[row] === ROW_CLOSED || kind[row] === ROW_CLOSED_BACK) {
        this.nExpanded--;
        this.newest = this.oldNewest[row];
      }
      this.g[index] = this.oldG[row];
      this.h[index] = this.oldH[row];
      this.parent[index] = this.oldParent[row];
      this.number[index] = this.oldNumber[row];
      this.enter(index, this.oldState[row]);
    }
    changed(index);
  }

  enter(index, state) {
    this.count[this.state[index]]--;
    this.count[state]++;
    this.state[index] = state;
  }

  // The cells of a scanned run, `by` more or less often scanned.
  run(row, by, changed) {
    const { width, cell, other, scans } = this;
    const down = Math.floor(other[row] / width) - Math.floor(cell[row] / width);
    const across = (other[row] % width) - (cell[row] % width);
    const step = Math.sign(down) * width + Math.sign(across);
    for (let k = Math.max(Math.abs(down), Math.abs(across)), index = cell[row]; k >= 0; k--, index += step) {
      const was = scans[index];
      scans[index] += by;
      if (!was === !scans[index]) continue;
      if (!this.timeline.walls[index]) this.nScanned += by;
      changed(index);
    }
  }

  // From a cell back to where its side of the search began, cell by parent; both ends included.
  chain(index) {
    const cells = [];
    for (let k = 0; index !== NEVER && index < this.state.length && k <= this.state.length; k++) {
      cells.push(index);
      if (this.parent[index] === index) break;
      index = this.parent[index];
    }
    return cells;
  }

  // The points of the way from a parent to its child: a jump goes diagonally first, then straight.
  points(cells) {
    const place = (index) => [index % this.width, Math.floor(index / this.width)];
    if (!this.leaps) return cells.map(place);
    const points = [];
    cells.forEach((cell, i) => {
      const [x, y] = place(cell);
      if (i) {
        const [beforeX, beforeY] = place(cells[i - 1]); // the chain runs backwards: its parent is (x, y)
        const slant = Math.min(Math.abs(beforeX - x), Math.abs(beforeY - y));
        points.push([x + slant * Math.sign(beforeX - x), y + slant * Math.sign(beforeY - y)]);
      }
      points.push([x, y]);
    });
    return points;
  }

  // What is known of a cell, as words.
  describe(index) {
    const value = (number) => (Number.isFinite(number) ? number.toFixed(2) : number === Infinity ? "\u221e" : null);
    const words = [`(${index % this.width}, ${Math.floor(index / this.width)})`];
    if (this.timeline.walls[index]) return [...words, "wall"];
    words.push(STATE_NAMES[this.state[index]]);
    if (this.number[index] !== NEVER) words.push(`expanded as number ${this.number[index] + 1}`);
    const [g, h, learned] = [this.g[index], this.h[index], this.learned[index]];
    const isKnown = this.state[index] !== UNSEEN;
    if (isKnown && value(g)) words.push(`g ${value(g)}`);
    if (isKnown && value(h)) words.push(`h ${value(h)}`);
    if (isKnown && value(g) && value(h)) words.push(`f ${value(g + h)}`);
    if (learned > 0) words.push(`learned h ${value(learned)}, first ${value(this.guess(index))}`);
    if (this.scans[index]) words.push("scanned");
    return words;
  }
}
