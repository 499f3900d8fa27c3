// Bodies: a timeline of discs in the plane, with headings and the states of brains, from the bytes that bodies.py wrote.

import { unpackBits } from "./decode.js";
import { clamp } from "./numbers.js";
import { Steps } from "./series.js";
import { stillLog, Timeline } from "./timeline.js";

const NO_STATE = 255;
const GAP = 65535; // the place of a body that is not there
const NEAR = 1.5; // metres within which bodies count for the density around one
const VEHICLES = ["car", "bus", "tram", "truck", "vehicle"]; // kinds with an outline

/**
 * Levels of service: persons on a square metre up to which each reaches (Fruin, walkways), and its colour.
 * @type {[string, number, string][]}
 */
export const SERVICE = [
  ["A", 0.31, "#2c7bb6"],
  ["B", 0.43, "#5ab4ac"],
  ["C", 0.72, "#a6d96a"],
  ["D", 1.08, "#e8c22e"],
  ["E", 2.17, "#f08a3c"],
  ["F", Infinity, "#d7191c"],
];

export class Bodies extends Timeline {
  constructor(head, buffer) {
    const { agents, width, height, bodies } = head;
    let at = 0;
    const words = (n) => new Uint32Array(buffer, (at += n * 4) - n * 4, n);
    const bytes = (n) => new Uint8Array(buffer, (at += n) - n, n);
    const first = words(agents);
    const framesOf = words(agents);
    at += agents * 4;
    const radii = new Float32Array(buffer, at - agents * 4, agents);
    const kindOf = bytes(agents);
    /** @type {() => [Uint8Array, Uint8Array]} */
    const column = () => [bytes(bodies.rows), bytes(bodies.rows)];
    const columns = [column(), column()];
    const headings = bytes(bodies.rows);
    const states = bytes(bodies.rows);
    const lampStates = bytes(bodies.frames * bodies.lamps.length);
    const walls = unpackBits(bytes((width * height + 7) >> 3), width * height);
    super(head, stillLog(head, walls));
    this.bodies = bodies;
    this.radii = radii;
    this.kindOf = kindOf;
    this.headings = headings;
    this.states = states;
    this.lampStates = lampStates;
    this.framesOf = framesOf;
    this.firstFrame = first;
    this.firstRow = new Uint32Array(agents + 1);
    for (let agent = 0; agent < agents; agent++) this.firstRow[agent + 1] = this.firstRow[agent] + framesOf[agent];
    this.bodyX = this.summed(columns[0]);
    this.bodyY = this.summed(columns[1]);
    const present = new Steps();
    for (let agent = 0; agent < agents; agent++) {
      if (!framesOf[agent]) continue;
      present.add(first[agent], 1);
      if (first[agent] + framesOf[agent] < bodies.frames) present.add(first[agent] + framesOf[agent], -1);
    }
    /** @type {any} */
    this.present = present.summed(this.tick);
  }

  // Places from differences, as whole steps.
  summed([low, high]) {
    const result = new Uint16Array(low.length);
    for (let agent = 0; agent < this.agents; agent++) {
      let sum = 0;
      for (let row = this.firstRow[agent]; row < this.firstRow[agent + 1]; row++) {
        sum = (sum + low[row] + 256 * high[row]) & 0xffff;
        result[row] = sum;
      }
    }
    return result;
  }

  // The row of the agent's frame at or before `t`; -1 if it is not there.
  rowAt(agent, t) {
    const frame = Math.min(Math.floor(t / this.bodies.seconds + 1e-6), this.bodies.frames - 1) - this.firstFrame[agent];
    if (frame < 0 || frame >= this.framesOf[agent]) return -1;
    const row = this.firstRow[agent] + frame;
    return this.bodyX[row] === GAP ? -1 : row;
  }

  // In cells, so that the middle of the cell (x, y) is (x, y).
  position(agent, t, out) {
    const row = this.rowAt(agent, t);
    if (row < 0) return false;
    const { seconds, steps } = this.bodies;
    const part = clamp(t / seconds - Math.floor(t / seconds + 1e-6), 0, 1);
    const next = row + 1 < this.firstRow[agent + 1] && this.bodyX[row + 1] !== GAP ? row + 1 : row;
    out.x = (this.bodyX[row] + part * (this.bodyX[next] - this.bodyX[row])) / steps - 0.5;
    out.y = (this.bodyY[row] + part * (this.bodyY[next] - this.bodyY[row])) / steps - 0.5;
    return true;
  }

  headingOf(agent, t) {
    const row = this.rowAt(agent, t);
    return row < 0 ? 0 : (this.headings[row] * Math.PI) / 128;
  }

  // The name of the brain's state, if it has one.
  stateOf(agent, t) {
    const row = this.rowAt(agent, t);
    return row < 0 || this.states[row] === NO_STATE ? -1 : this.states[row];
  }

  lampState(lamp, t) {
    const frame = clamp(Math.floor(t / this.bodies.seconds + 1e-6), 0, this.bodies.frames - 1);
    return this.bodies.states[this.lampStates[frame * this.bodies.lamps.length + lamp]] || "";
  }

  // Metres a second, over the frame that `t` is in.
  speedOf(agent, t) {
    const row = this.rowAt(agent, t);
    if (row < 0 || row + 1 >= this.firstRow[agent + 1] || this.bodyX[row + 1] === GAP) return 0;
    const { seconds, steps, cell } = this.bodies;
    return (Math.hypot(this.bodyX[row + 1] - this.bodyX[row], this.bodyY[row + 1] - this.bodyY[row]) * cell) / steps / seconds;
  }

  // The level of service of each agent that is there: how many are near it, itself included.
  services(t, out) {
    const reach = NEAR / this.bodies.cell;
    const area = Math.PI * NEAR * NEAR;
    const place = { x: 0, y: 0 };
    const buckets = new Map();
    const where = [];
    for (let agent = 0; agent < this.agents; agent++) {
      out[agent] = 0;
      if (!this.position(agent, t, place) || this.isVehicle(agent)) continue;
      const key = Math.floor(place.x / reach) + 65536 * Math.floor(place.y / reach);
      where.push([agent, place.x, place.y, key]);
      if (buckets.has(key)) buckets.get(key).push(where.length - 1);
      else buckets.set(key, [where.length - 1]);
    }
    for (const [agent, x, y, key] of where) {
      let n = 0;
      for (const across of [-1, 0, 1]) {
        for (const down of [-65536, 0, 65536]) {
          for (const other of buckets.get(key + across + down) || []) {
            if ((where[other][1] - x) ** 2 + (where[other][2] - y) ** 2 <= reach * reach) n++;
          }
        }
      }
      out[agent] = SERVICE.findIndex(([, most]) => n / area <= most);
    }
  }

  trail(agent, t, length, add) {
    const { steps, seconds } = this.bodies;
    const row = this.rowAt(agent, t);
    const last = Math.max(this.firstRow[agent], row - Math.floor(length / seconds));
    const stride = Math.max(1, Math.round(0.2 / seconds));
    for (let i = row; i >= last && this.bodyX[i] !== GAP; i -= stride) add(this.bodyX[i] / steps - 0.5, this.bodyY[i] / steps - 0.5);
  }

  isVehicle(agent) {
    return VEHICLES.includes(this.bodies.kinds[this.kindOf[agent]]);
  }
}
