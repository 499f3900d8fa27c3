// Live: the steps of a world that runs in a worker, as a timeline that grows at its end.
//
// Each step keeps the cells, goals and ops of all agents. The oldest steps are dropped when all of them together take more
// than KEPT_BYTES, so memory does not grow with time; what was dropped cannot be rewound to.

import { NOWHERE, unpackBits } from "../replay/decode.js";
import { clamp, upperBound } from "../replay/numbers.js";
import { Timeline, stillLog } from "../replay/timeline.js";
import { Reader } from "./frames.js";
import { ARRIVED, FREED, STAY } from "./messages.js";
import { Growing, LiveLanes } from "./learning.js";

/**
 * What one step holds.
 * @typedef {{ cells: Int32Array, goals: Int32Array, ops: Uint8Array, seconds: number, refused: number, arrived: number,
 *   present: number, moves: number, passed: number, reached: number, coherence: number, bytes: number }} Moment
 */

const KEPT_BYTES = 48e6;
const KEPT_AHEAD = 12e6; // bytes of reservations
const KEPT_WAITS = 100; // times
const KEPT_REFUSALS = 400_000;
const COHERENCE_EVERY = 5; // steps

export class LiveTimeline extends Timeline {
  /**
   * @param {any} head  what the worker said when it began
   * @param {ArrayBuffer} buffer  its first frame
   * @param {import("../replay/nodes.js").Nodes | null} nodes  what cells are, if they are nodes
   */
  constructor(head, buffer, nodes = null) {
    const view = new DataView(buffer);
    const step = view.getUint32(4, true);
    const agents = view.getUint32(8, true);
    const wallsAt = 12 + 8 * agents;
    const size = head.width * head.height;
    const walls = unpackBits(new Uint8Array(buffer, wallsAt), size);
    super({ ...head, agents, end: step, tick: 1, inSteps: true }, stillLog({ ...head, agents }, walls), nodes);
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
    this.moments = [this.counted({ cells, goals, ops: new Uint8Array(agents).fill(STAY), seconds: 0, refused: 0, moves: 0, passed: 0, coherence: 0, bytes: 9 * agents })];
    this.bytes = 9 * agents;
    this.isOver = false;
    this.directions = head.directions;
    /** @type {Uint8Array | null} the moves that are left in one-way maps, a byte for each cell */
    this.moves = null;
    this.movesVersion = 0;
    /** @type {{ step: number, rows: Int32Array }[]} what agents have reserved */
    this.ahead = [];
    this.aheadBytes = 0;
    /** @type {{ step: number, pairs: number[][], cycles: number[][] }[]} who waits for whom */
    this.waits = [];
    const offsets = [];
    for (const [dx, dy] of head.directions) offsets.push(dy * this.stride + dx);
    this.offsets = Int32Array.from(offsets);
    this.present = { at: (/** @type {number} */ t) => this.momentAt(t).present, last: 0 };
    this.arrived = { at: (/** @type {number} */ t) => this.momentAt(t).arrived, last: 0 };
    this.reached = { at: (/** @type {number} */ t) => this.momentAt(t).reached, last: 0 };
  }

  get refusals() {
    return this.logged.columns;
  }

  /** Add the steps of a frame. @param {ArrayBuffer} buffer */
  append(buffer) {
    const reader = new Reader(buffer);
    for (let n = reader.steps; n > 0; n--) {
      const [step, seconds] = [reader.word(), reader.float()];
      const [agents, ...sizes] = [1, 2, 3, 4, 5].map(() => reader.word());
      const [jumps, goals, walls, refused] = sizes.map((size) => reader.numbers(2 * size));
      this.add(step, seconds, reader.bytes(agents), { jumps, goals, walls, refused });
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
    for (let i = 0; i < jumps.length; i += 2) {
      if (this.nodes && cells[jumps[i]] !== NOWHERE && jumps[i + 1] !== NOWHERE) moves++; // nodes have no eight directions
      cells[jumps[i]] = jumps[i + 1];
    }
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
    this.moments.push(this.counted({ cells, goals: wanted, ops, seconds, refused: total, moves, passed, coherence, bytes: 0 }));
    this.moments[this.moments.length - 1].bytes = 5 * n + (wanted === before.goals ? 0 : 4 * n);
    this.bytes += this.moments[this.moments.length - 1].bytes;
    this.agents = Math.max(this.agents, n);
    this.end = step;
  }

  /** @param {any} moment @returns {Moment} */
  counted(moment) {
    let [present, arrived] = [0, 0];
    for (let agent = 0; agent < moment.cells.length; agent++) {
      if (moment.cells[agent] === NOWHERE) continue;
      present++;
      if (this.isGoal(moment.cells[agent], moment.goals[agent])) arrived++;
    }
    return { ...moment, present, arrived, reached: arrived + moment.passed };
  }

  forget() {
    let n = 0;
    while (this.bytes > KEPT_BYTES && this.moments.length - n > 50) this.bytes -= this.moments[n++].bytes;
    if (n) {
      this.moments.splice(0, n);
      this.first += n;
    }
    if (this.logged.size > KEPT_REFUSALS) {
      this.logged.drop(KEPT_REFUSALS / 2);
      this.droppedRefusals = (this.droppedRefusals || 0) + KEPT_REFUSALS / 2;
    }
  }

  /** Keep what agents have reserved. @param {ArrayBuffer} buffer */
  addAhead(buffer) {
    const reader = new Reader(buffer);
    const [step, n] = [reader.word(), reader.word()];
    if (this.ahead.at(-1)?.step === step) this.ahead.pop();
    this.ahead.push({ step, rows: reader.numbers(3 * n) });
    this.aheadBytes += 12 * n;
    while (this.aheadBytes > KEPT_AHEAD && this.ahead.length > 1) this.aheadBytes -= 4 * this.ahead.shift().rows.length;
  }

  /** @param {{ step: number, pairs: number[][], cycles: number[][] }} told */
  addWaits({ step, pairs, cycles }) {
    this.waits.push({ step, pairs, cycles });
    if (this.waits.length > KEPT_WAITS) this.waits.shift();
  }

  /** What agents have reserved at `t`: rows of agent, cell and steps ahead. @param {number} t */
  aheadAt(t) {
    return (this.ahead.findLast(({ step }) => step <= t + 1e-9) ?? this.ahead[0])?.rows ?? new Int32Array(0);
  }

  /** @param {number} t */
  waitsAt(t) {
    return this.waits.findLast(({ step }) => step <= t + 1e-9) ?? this.waits[0] ?? { step: 0, pairs: [], cycles: [] };
  }

  /** The latest step. */
  get lastStep() {
    return this.first + this.moments.length - 1;
  }

  /** The earliest time that is kept. */
  get begin() {
    return this.first;
  }

  /** The number that the next agent gets. */
  get nextAgent() {
    return this.moments[this.moments.length - 1].cells.length;
  }

  /** Where agents are and want to be, for a scene. */
  get journeys() {
    const { cells, goals } = this.momentAt(this.end);
    const there = [...cells.keys()].filter((agent) => cells[agent] !== NOWHERE);
    return there.map((agent) => [this.x(cells[agent]), this.y(cells[agent]), this.x(goals[agent]), this.y(goals[agent])]);
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
    if (this.nodes) {
      const end = next.cells[agent] ?? NOWHERE;
      if (end !== NOWHERE) this.nodes.between(cell, end, clamp(t - this.first - s, 0, 1), out);
      return true;
    }
    if (agent >= next.cells.length || (next.ops[agent] & 15) === STAY) return true;
    const part = clamp(t - this.first - s, 0, 1);
    const there = cell + this.offsets[next.ops[agent] & 15];
    out.x += part * (this.x(there) - out.x);
    out.y += part * (this.y(there) - out.y);
    return true;
  }

  headingOf(agent, t) {
    const s = clamp(Math.floor(t + 1e-9) - this.first, 0, this.moments.length - 1);
    const [here, there] = [this.moments[s], this.moments[s + 1] ?? this.moments[s]].map(({ cells }) => cells[agent] ?? NOWHERE);
    if (!this.nodes || here === NOWHERE || there === NOWHERE) return 0;
    return this.nodes.turned(here, there, clamp(t - this.first - s, 0, 1));
  }

  trail(agent, t, length, add) {
    const last = clamp(Math.floor(t + 1e-9) - this.first, 0, this.moments.length - 1);
    for (let s = last; s >= 0 && s + this.first > t - length; s--) {
      const { cells, ops } = this.moments[s];
      if (agent >= cells.length || cells[agent] === NOWHERE) return;
      add(this.x(cells[agent]), this.y(cells[agent]));
      const isPut = !this.nodes && s > 0 && (ops[agent] & 15) === STAY && this.moments[s - 1].cells[agent] !== cells[agent];
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

  /** The cell with this index. @param {number} index */
  padded(index) {
    return (Math.floor(index / this.width) + 1) * this.stride + (index % this.width) + 1;
  }

  /** The first of some nodes that is drawn in the cell with this index, or -1. @param {Int32Array} cells @param {number} index */
  nodeAt(cells, index) {
    const [x, y] = [index % this.width, Math.floor(index / this.width)];
    return cells.findIndex((cell) => cell !== NOWHERE && Math.round(this.x(cell)) === x && Math.round(this.y(cell)) === y);
  }

  /** The agent in the cell with this index at `t`, or -1. @param {number} index @param {number} t */
  agentAt(index, t) {
    if (this.nodes) return this.nodeAt(this.momentAt(t).cells, index);
    return this.momentAt(t).cells.indexOf(this.padded(index));
  }

  /** The agent whose goal is the cell with this index at `t`, or -1. @param {number} index @param {number} t */
  goalAt(index, t) {
    const { goals, cells } = this.momentAt(t);
    if (this.nodes) return this.nodeAt(goals, index);
    const cell = this.padded(index);
    return goals.findIndex((goal, agent) => goal === cell && cells[agent] !== NOWHERE);
  }
}
