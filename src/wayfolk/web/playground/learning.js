// Learning: lanes that learn while steps come in, and the lists that grow for that.

import { FORGET, HEADING_X, HEADING_Y, Lanes, heading } from "../replay/lanes.js";
import { STAY } from "./messages.js";

const KEPT_LESSONS = 600_000;

// A list of numbers in typed arrays that grow; the first half is dropped when there are too many.
export class Growing {
  /** @param {Record<string, any>} kinds  a class of typed arrays for each column */
  constructor(kinds) {
    this.kinds = kinds;
    this.size = 0;
    this.columns = Object.fromEntries(Object.entries(kinds).map(([name, Kind]) => [name, new Kind(1024)]));
  }

  /** @param {Record<string, number>} row */
  push(row) {
    for (const name in this.kinds) {
      if (this.size === this.columns[name].length) {
        const larger = new this.kinds[name](2 * this.size);
        larger.set(this.columns[name]);
        this.columns[name] = larger;
      }
      this.columns[name][this.size] = row[name] ?? 0;
    }
    this.size++;
  }

  /** @param {number} n */
  drop(n) {
    for (const name in this.kinds) this.columns[name].copyWithin(0, n, this.size);
    this.size -= n;
  }
}

// Lanes that learn while steps come in.
export class LiveLanes extends Lanes {
  constructor(timeline, alpha) {
    super(timeline, alpha);
    this.lastX = new Float32Array(this.x.length); // vectors at the latest step
    this.lastY = new Float32Array(this.y.length);
    this.seen = new Set();
    this.rows = new Growing({ time: Float64Array, cell: Uint32Array, heading: Uint8Array, beforeX: Float32Array, beforeY: Float32Array });
  }

  get lessons() {
    return { ...this.rows.columns, size: this.rows.size };
  }

  // As the replay does: of one step, first the cells that are left learn, then those that are entered.
  learn(time, ops, before, after) {
    const { timeline } = this;
    for (const cells of [before, after]) {
      for (let agent = 0; agent < before.length; agent++) {
        if ((ops[agent] & 15) === STAY) continue;
        const way = heading(timeline, before[agent], after[agent]);
        if (way >= 0) this.add(time, timeline.y(cells[agent]) * timeline.width + timeline.x(cells[agent]), way);
      }
    }
    if (this.rows.size > KEPT_LESSONS) this.drop(KEPT_LESSONS / 2);
  }

  forget(time, index) {
    this.add(time, index, FORGET);
  }

  add(time, cell, way) {
    const { rows } = this;
    if (rows.size === rows.columns.time.length) rows.push({ time, cell, heading: way });
    else {
      rows.columns.time[rows.size] = time;
      rows.columns.cell[rows.size] = cell;
      rows.columns.heading[rows.size++] = way;
    }
    const rate = way === FORGET ? 1 : this.alpha;
    this.lastX[cell] += rate * (HEADING_X[way] - this.lastX[cell]);
    this.lastY[cell] += rate * (HEADING_Y[way] - this.lastY[cell]);
    if (way !== FORGET) this.seen.add(cell);
  }

  // The mean of |v1 + v2| / 2 over all cells that have learned, v2 being the vector of the cell that v1 points to: the
  // coherence of Jansen 2008, at the latest step.
  coherence() {
    const { timeline, lastX, lastY, seen } = this;
    const { width, height, walls } = timeline;
    const isFree = (x, y) => x >= 0 && y >= 0 && x < width && y < height && !walls[y * width + x];
    let total = 0;
    for (const cell of seen) {
      let [x, y] = [lastX[cell], lastY[cell]];
      if (Math.hypot(x, y) < 1e-9) continue;
      const [column, row] = [cell % width, Math.floor(cell / width)];
      let [nearest, best] = [-1, -Infinity];
      for (let way = 0; way < 8; way += timeline.diagonals ? 1 : 2) {
        const along = x * HEADING_X[way] + y * HEADING_Y[way];
        const [dx, dy] = [Math.sign(HEADING_X[way]), Math.sign(HEADING_Y[way])];
        if (along <= best || !isFree(column + dx, row + dy)) continue;
        if (dx && dy && !(isFree(column + dx, row) && isFree(column, row + dy))) continue;
        [nearest, best] = [cell + dy * width + dx, along];
      }
      if (nearest >= 0) [x, y] = [x + lastX[nearest], y + lastY[nearest]];
      total += Math.hypot(x, y) / 2;
    }
    return seen.size ? total / seen.size : 0;
  }

  // What is dropped must have been learned.
  drop(n) {
    const { rows } = this;
    if (this.done < n) this.moveTo(rows.columns.time[n - 1], () => {});
    rows.drop(n);
    this.done = Math.max(0, this.done - n);
  }

  moveTo(t, changed) {
    super.moveTo(t, changed || (() => {}));
  }
}
