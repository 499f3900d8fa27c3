// Walkers: the bodies of a crowd or a street that runs in a worker, as a timeline that grows at its end.

import { Bodies } from "../replay/bodies.js";
import { NOWHERE } from "../replay/decode.js";
import { clamp } from "../replay/numbers.js";
import { Reader } from "./frames.js";

/**
 * What one frame holds: bodies by their numbers, places in parts of a cell.
 * @typedef {{ agents: Int32Array, places: Uint16Array, headings: Uint8Array, states: Uint8Array, lamps: Uint8Array,
 *   goals: Int32Array, seconds: number, arrived: number, present: number, speed: number }} Frame
 */

const KEPT_BYTES = 24e6;
const NO_STATE = 255;
const SPEED_OVER = 5; // frames over which a speed is measured

export class LiveBodies extends Bodies {
  /** @param {any} head  what the worker said when it began */
  constructor(head) {
    const { width, height, bodies } = head;
    const walls = Uint8Array.from(atob(head.walls), (letter) => letter.charCodeAt(0));
    const bytes = new Uint8Array(bodies.lamps.length + Math.ceil((width * height) / 8));
    bytes.set(walls, bodies.lamps.length);
    super({ ...head, agents: 0, end: head.step * bodies.seconds, tick: bodies.seconds, inSteps: false }, bytes.buffer);
    this.isLive = true;
    this.isOver = false;
    this.first = head.step; // the earliest frame that is kept
    this.radii = new Float32Array(64);
    this.kindOf = new Uint8Array(64);
    this.changes = { time: [], index: [], value: [], before: [], done: 0 };
    /** @type {Frame[]} */
    this.moments = [];
    this.bytes = 0;
    this.present = { at: (/** @type {number} */ t) => this.momentAt(t).present, last: 0 };
    this.arrived = { at: (/** @type {number} */ t) => this.momentAt(t).arrived, last: 0 };
  }

  /** Add the frames of a message. @param {ArrayBuffer} buffer */
  append(buffer) {
    const reader = new Reader(buffer);
    for (let n = reader.steps; n > 0; n--) {
      const [step, seconds] = [reader.word(), reader.float()];
      const [size, arrived, fresh, nGoals, nWalls, nLamps] = [1, 2, 3, 4, 5, 6].map(() => reader.word());
      for (let i = 0; i < fresh; i++) this.welcome(reader.word(), reader.float(), reader.word());
      const goals = this.aimed(reader.numbers(2 * nGoals));
      this.build(step, reader.numbers(2 * nWalls));
      const agents = reader.numbers(size).slice();
      const frame = { agents, places: reader.halves(2 * size), headings: reader.bytes(size), states: reader.bytes(size) };
      this.moments.push({ ...frame, lamps: reader.bytes(nLamps), goals, seconds, arrived, present: size, speed: 0 });
      this.moments[this.moments.length - 1].speed = this.meanSpeed();
      this.bytes += 10 * size + 80;
      this.end = step * this.tick;
    }
    let n = 0;
    while (this.bytes > KEPT_BYTES && this.moments.length - n > 50) this.bytes -= 10 * this.moments[n++].present + 80;
    this.moments.splice(0, n);
    this.first += n;
  }

  welcome(agent, radius, kind) {
    if (agent >= this.radii.length) {
      const [radii, kinds] = [this.radii, this.kindOf];
      this.radii = new Float32Array(2 * agent);
      this.kindOf = new Uint8Array(2 * agent);
      this.radii.set(radii);
      this.kindOf.set(kinds);
    }
    this.radii[agent] = radius;
    this.kindOf[agent] = kind;
    this.agents = Math.max(this.agents, agent + 1);
  }

  // The goals of all agents after some have changed.
  aimed(pairs) {
    const before = this.moments.at(-1)?.goals ?? new Int32Array(0);
    if (!pairs.length) return before;
    const goals = new Int32Array(this.agents).fill(NOWHERE);
    goals.set(before);
    for (let i = 0; i < pairs.length; i += 2) goals[pairs[i]] = pairs[i + 1];
    return goals;
  }

  build(step, pairs) {
    for (let i = 0; i < pairs.length; i += 2) {
      this.changes.time.push((step - 1) * this.tick);
      this.changes.index.push(this.y(pairs[i]) * this.width + this.x(pairs[i]));
      this.changes.value.push(pairs[i + 1]);
    }
  }

  // Metres a second of those who are there, over the last frames.
  meanSpeed() {
    const now = this.moments[this.moments.length - 1];
    const before = this.moments[this.moments.length - 1 - SPEED_OVER];
    if (!before) return 0;
    let [sum, n] = [0, 0];
    now.agents.forEach((agent, row) => {
      const old = find(before.agents, agent);
      if (old < 0) return;
      sum += Math.hypot(now.places[2 * row] - before.places[2 * old], now.places[2 * row + 1] - before.places[2 * old + 1]);
      n++;
    });
    return n ? (sum * this.bodies.cell) / this.bodies.steps / (n * SPEED_OVER * this.tick) : 0;
  }

  /** The latest frame. */
  get lastStep() {
    return this.first + this.moments.length - 1;
  }

  /** The earliest time that is kept. */
  get begin() {
    return this.first * this.tick;
  }

  get nextAgent() {
    return this.agents;
  }

  /** Where bodies are and want to be, as cells, for a scene. */
  get journeys() {
    const { agents, goals } = this.momentAt(this.end);
    const cells = [...agents].map((agent) => [this.cellOf(agent, this.end), goals[agent] ?? NOWHERE]);
    const there = cells.filter(([, goal]) => goal !== NOWHERE);
    return there.map(([cell, goal]) => [this.x(cell), this.y(cell), this.x(goal), this.y(goal)]);
  }

  frameAt(t) {
    return clamp(Math.floor(t / this.tick + 1e-6) - this.first, 0, this.moments.length - 1);
  }

  /** The frame at or before `t`. @param {number} t */
  momentAt(t) {
    return this.moments[this.frameAt(t)];
  }

  rowAt(agent, t) {
    return find(this.momentAt(t).agents, agent);
  }

  position(agent, t, out) {
    const frame = this.frameAt(t);
    const here = this.moments[frame];
    const row = find(here.agents, agent);
    if (row < 0) return false;
    const { steps } = this.bodies;
    [out.x, out.y] = [here.places[2 * row] / steps - 0.5, here.places[2 * row + 1] / steps - 0.5];
    const next = this.moments[frame + 1];
    const then = next ? find(next.agents, agent) : -1;
    if (then < 0) return true;
    const part = clamp(t / this.tick - this.first - frame, 0, 1);
    out.x += part * (next.places[2 * then] / steps - 0.5 - out.x);
    out.y += part * (next.places[2 * then + 1] / steps - 0.5 - out.y);
    return true;
  }

  trail(agent, t, length, add) {
    const { steps } = this.bodies;
    for (let frame = this.frameAt(t); frame >= 0 && (frame + this.first) * this.tick > t - length; frame -= 2) {
      const row = find(this.moments[frame].agents, agent);
      if (row < 0) return;
      const { places } = this.moments[frame];
      add(places[2 * row] / steps - 0.5, places[2 * row + 1] / steps - 0.5);
    }
  }

  headingOf(agent, t) {
    const row = this.rowAt(agent, t);
    return row < 0 ? 0 : (this.momentAt(t).headings[row] * Math.PI) / 128;
  }

  stateOf(agent, t) {
    const row = this.rowAt(agent, t);
    const state = row < 0 ? NO_STATE : this.momentAt(t).states[row];
    return state === NO_STATE ? -1 : state;
  }

  lampState(lamp, t) {
    return this.bodies.states[this.momentAt(t).lamps[lamp]] || "";
  }

  speedOf(agent, t) {
    const frame = this.frameAt(t);
    const before = this.moments[Math.max(0, frame - SPEED_OVER)];
    const [now, then] = [find(this.moments[frame].agents, agent), find(before.agents, agent)];
    const over = Math.min(frame, SPEED_OVER) * this.tick;
    if (now < 0 || then < 0 || !over) return 0;
    const { places } = this.moments[frame];
    const apart = Math.hypot(places[2 * now] - before.places[2 * then], places[2 * now + 1] - before.places[2 * then + 1]);
    return (apart * this.bodies.cell) / this.bodies.steps / over;
  }

  cellOf(agent, t) {
    const out = { x: 0, y: 0 };
    if (!this.position(agent, t, out)) return NOWHERE;
    return (Math.floor(out.y + 0.5) + 1) * this.stride + Math.floor(out.x + 0.5) + 1;
  }

  goalOf(agent, t) {
    return this.momentAt(t).goals[agent] ?? NOWHERE;
  }

  isThere() {
    return false;
  }

  isReleased() {
    return false;
  }

  /** The body whose middle is in the cell with this index, or -1. @param {number} index @param {number} t */
  agentAt(index, t) {
    const { agents } = this.momentAt(t);
    const cell = (Math.floor(index / this.width) + 1) * this.stride + (index % this.width) + 1;
    return agents.find((agent) => this.cellOf(agent, t) === cell) ?? -1;
  }

  /** The body whose goal is the cell with this index, or -1. @param {number} index @param {number} t */
  goalAt(index, t) {
    const { agents, goals } = this.momentAt(t);
    const cell = (Math.floor(index / this.width) + 1) * this.stride + (index % this.width) + 1;
    return agents.find((agent) => goals[agent] === cell) ?? -1;
  }
}

// Where `agent` is among sorted numbers, or -1.
function find(agents, agent) {
  let [low, high] = [0, agents.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (agents[middle] < agent) low = middle + 1;
    else high = middle;
  }
  return agents[low] === agent ? low : -1;
}
