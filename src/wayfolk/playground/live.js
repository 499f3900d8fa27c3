// Live: the steps of a world that runs in a worker, as a timeline that grows at its end.
//
// Each step keeps the cells, goals and ops of all agents. The oldest steps are dropped when all of them together take more
// than KEPT_BYTES, so memory does not grow with time; what was dropped cannot be rewound to.

import { FORGET, HEADING_X, HEADING_Y, Lanes, NOWHERE, Timeline, clamp, heading, stillLog, unpackBits, upperBound } from "./engine.js";

/**
 * What one step holds.
 * @typedef {{ cells: Int32Array, goals: Int32Array, ops: Uint8Array, seconds: number, refused: number, arrived: number,
 *   present: number, moves: number, passed: number, reached: number, coherence: number }} Moment
 */

export const [BEGIN, STEPS, FILE] = [1, 2, 3];
const [STAY, ARRIVED, FREED] = [8, 16, 32];
const KEPT_BYTES = 48e6;
const KEPT_REFUSALS = 400_000;
const KEPT_LESSONS = 600_000;
const COHERENCE_EVERY = 5; // steps

/** The kind and the panel of a frame. @param {ArrayBuffer} buffer */
export function headOf(buffer) {
  const [kind, panel] = new Uint8Array(buffer, 0, 2);
  return { kind, panel };
}

/** The name and the bytes of a frame with a file. @param {ArrayBuffer} buffer */
export function readFile(buffer) {
  const length = new DataView(buffer).getUint32(4, true);
  const name = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  return { name, bytes: new Uint8Array(buffer, 8 + length + ((4 - (length % 4)) % 4)) };
}

// A list of numbers in typed arrays that grow; the first half is dropped when there are too many.
class Growing {
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

export class LiveTimeline extends Timeline {
  /**
   * @param {any} head  what the worker said when it began
   * @param {ArrayBuffer} buffer  its first frame
   */
  constructor(head, buffer) {
    const view = new DataView(buffer);
    const step = view.getUint32(4, true);
    const agents = view.getUint32(8, true);
    const wallsAt = 12 + 8 * agents;
    const size = head.width * head.height;
    const walls = unpackBits(new Uint8Array(buffer, wallsAt), size);
    super({ ...head, agents, end: step, tick: 1, inSteps: true }, stillLog({ ...head, agents }, walls));
    this.isLive = true;
    this.first = step; // the earliest step that is kept
    this.agents = agents;
    this.diagonals = head.diagonals;
    this.changes = { time: [], index: [], value: [], before: [], done: 0 };
    this.logged = new Growing({ time: Float64Array, agent: Uint32Array, cell: Int32Array });
    this.lanes = new LiveLanes(this, head.alpha ?? 0.5);
    const cells = new Int32Array(buffer.slice(12, 12 + 4 * agents));
    const goals = new Int32Array(buffer.slice(12 + 4 * agents, wallsAt));
    /** @type {Moment[]} */
    this.moments = [this.counted({ cells, goals, ops: new Uint8Array(agents).fill(STAY), seconds: 0, refused: 0, moves: 0, passed: 0, coherence: 0 })];
    this.bytes = 9 * agents;
    this.isOver = false;
    const offsets = [];
    for (const [dx, dy] of head.directions) offsets.push(dy * this.stride + dx);
    this.offsets = Int32Array.from(offsets);
    this.present = { at: (/** @type {number} */ t) => this.momentAt(t).present, last: 0 };
    this.arrived = { at: (/** @type {number} */ t) => this.momentAt(t).arrived, last: 0 };
    this.reached = { at: (/** @type {number} */ t) => this.momentAt(t).reached, last: 0 };
  }

  get refusals() {
    return this.logged ? this.logged.columns : { time: [], agent: [], cell: [] };
  }

  // The timeline of records sets it once; here it grows.
  set refusals(_) {}

  /** Add the steps of a frame. @param {ArrayBuffer} buffer */
  append(buffer) {
    const view = new DataView(buffer);
    let at = 4;
    const word = () => view.getUint32((at += 4) - 4, true);
    for (let n = view.getUint16(2, true); n > 0; n--) {
      const step = word();
      const seconds = view.getFloat32((at += 4) - 4, true);
      const [agents, ...sizes] = [word(), word(), word(), word(), word()];
      const [jumps, goals, walls, refused] = sizes.map((size) => new Int32Array(buffer, (at += 8 * size) - 8 * size, 2 * size));
      const ops = new Uint8Array(buffer.slice(at, at + agents));
      at += 4 * Math.ceil(agents / 4);
      this.add(step, seconds, ops, { jumps, goals, walls, refused });
    }
    this.forget();
  }

  /**
   * @param {number} step @param {number} seconds @param {Uint8Array} ops
   * @param {{jumps: Int32Array, goals: Int32Array, walls: Int32Array, refused: Int32Array}} pairs
   */
  add(step, seconds, ops, { jumps, goals, walls, refused }) {
    const before = this.moments[this.moments.length - 1];
    const n = ops.length;
    const cells = new Int32Array(n).fill(NOWHERE);
    cells.set(before.cells.subarray(0, Math.min(n, before.cells.length)));
    let moves = before.moves;
    for (let agent = 0; agent < n; agent++) {
      const way = ops[agent] & 15;
      if (way === STAY) continue;
      cells[agent] += this.offsets[way];
      moves++;
    }
    this.lanes.learn(step - 1, ops, before.cells, cells);
    for (let i = 0; i < jumps.length; i += 2) cells[jumps[i]] = jumps[i + 1];
    let wanted = before.goals;
    let passed = before.passed; // goals that were reached and followed by others
    for (let i = 0; i < goals.length; i += 2) if (before.goals[goals[i]] === cells[goals[i]]) passed++;
    if (goals.length || wanted.length < n) {
      wanted = new Int32Array(n).fill(NOWHERE);
      wanted.set(before.goals.subarray(0, Math.min(n, before.goals.length)));
      for (let i = 0; i < goals.length; i += 2) wanted[goals[i]] = goals[i + 1];
    }
    for (let i = 0; i < walls.length; i += 2) {
      const index = this.y(walls[i]) * this.width + this.x(walls[i]);
      this.changes.time.push(step - 1);
      this.changes.index.push(index);
      this.changes.value.push(walls[i + 1]);
      if (walls[i + 1]) this.lanes.forget(step - 1, index);
    }
    for (let i = 0; i < refused.length; i += 2) this.logged.push({ time: step - 1, agent: refused[i], cell: refused[i + 1] });
    const coherence = step % COHERENCE_EVERY ? before.coherence : this.lanes.coherence();
    const total = before.refused + refused.length / 2;
    this.moments.push(this.counted({ cells, goals: wanted, ops, seconds, refused: total, moves, passed, coherence }));
    this.bytes += 5 * n + (wanted === before.goals ? 0 : 4 * n);
    this.agents = Math.max(this.agents, n);
    this.end = step;
  }

  /** @param {any} moment @returns {Moment} */
  counted(moment) {
    let [present, arrived] = [0, 0];
    for (let agent = 0; agent < moment.cells.length; agent++) {
      if (moment.cells[agent] === NOWHERE) continue;
      present++;
      if (moment.cells[agent] === moment.goals[agent]) arrived++;
    }
    return { ...moment, present, arrived, reached: arrived + moment.passed };
  }

  forget() {
    let n = 0;
    while (this.bytes > KEPT_BYTES && this.moments.length - n > 50) this.bytes -= 9 * this.moments[n++].cells.length;
    if (n) {
      this.moments.splice(0, n);
      this.first += n;
      this.bytes = Math.max(this.bytes, 0);
    }
    if (this.logged.size > KEPT_REFUSALS) {
      this.logged.drop(KEPT_REFUSALS / 2);
      this.droppedRefusals = (this.droppedRefusals || 0) + KEPT_REFUSALS / 2;
    }
  }

  /** The moment at or before `t`. @param {number} t */
  momentAt(t) {
    return this.moments[clamp(Math.floor(t + 1e-9) - this.first, 0, this.moments.length - 1)];
  }

  position(agent, t, out) {
    const s = clamp(Math.floor(t + 1e-9) - this.first, 0, this.moments.length - 1);
    const here = this.moments[s].cells;
    if (agent >= here.length || here[agent] === NOWHERE) return false;
    const cell = here[agent];
    out.x = this.x(cell);
    out.y = this.y(cell);
    if (s + 1 >= this.moments.length) return true;
    const next = this.moments[s + 1];
    if (agent >= next.cells.length || (next.ops[agent] & 15) === STAY) return true;
    const part = clamp(t - this.first - s, 0, 1);
    const there = cell + this.offsets[next.ops[agent] & 15];
    out.x += part * (this.x(there) - out.x);
    out.y += part * (this.y(there) - out.y);
    return true;
  }

  trail(agent, t, length, add) {
    const last = clamp(Math.floor(t + 1e-9) - this.first, 0, this.moments.length - 1);
    for (let s = last; s >= 0 && s + this.first > t - length; s--) {
      const { cells, ops } = this.moments[s];
      if (agent >= cells.length || cells[agent] === NOWHERE) return;
      add(this.x(cells[agent]), this.y(cells[agent]));
      const isPut = s > 0 && (ops[agent] & 15) === STAY && this.moments[s - 1].cells[agent] !== cells[agent];
      if (isPut) return;
    }
  }

  cellOf(agent, t) {
    return this.momentAt(t).cells[agent] ?? NOWHERE;
  }

  goalOf(agent, t) {
    return this.momentAt(t).goals[agent] ?? NOWHERE;
  }

  isThere(agent, t) {
    return (this.momentAt(t).ops[agent] & ARRIVED) !== 0;
  }

  isReleased(agent, t) {
    return (this.momentAt(t).ops[agent] & FREED) !== 0;
  }

  refusalsUntil(t) {
    return upperBound(this.logged.columns.time, t, 0, this.logged.size);
  }

  refusalsOf(agent, t) {
    let n = 0;
    const { agent: whose } = this.logged.columns;
    for (let i = this.refusalsUntil(t) - 1; i >= 0; i--) if (whose[i] === agent) n++;
    return n;
  }

  /** The agent in the cell with this index at `t`, or -1. @param {number} index @param {number} t */
  agentAt(index, t) {
    const cell = (Math.floor(index / this.width) + 1) * this.stride + (index % this.width) + 1;
    return this.momentAt(t).cells.indexOf(cell);
  }

  /** The agent whose goal is the cell with this index at `t`, or -1. @param {number} index @param {number} t */
  goalAt(index, t) {
    const cell = (Math.floor(index / this.width) + 1) * this.stride + (index % this.width) + 1;
    const { goals, cells } = this.momentAt(t);
    return goals.findIndex((goal, agent) => goal === cell && cells[agent] !== NOWHERE);
  }
}

// Lanes that learn while steps come in.
class LiveLanes extends Lanes {
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
  // coherence of the Direction Map thesis, at the latest step.
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
