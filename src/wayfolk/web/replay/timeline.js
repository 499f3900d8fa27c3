// Timeline: everything about one record at any time, forwards or backwards at the same cost.
//
// Positions and goals are rows sorted by agent, then time. A lookup tries the row found last time and the one after it,
// which is right while playing, and searches by halving otherwise. Counters are running sums by time. Walls and the
// heat map are kept for one time, and moved to another by doing or undoing the changes between.

import { NOWHERE } from "./decode.js";
import { clamp, count, orderBy, upperBound } from "./numbers.js";
import { findRow, Steps } from "./series.js";

export class Timeline {
  /** @param {any} head @param {any} log @param {import("./nodes.js").Nodes | null} nodes  what the cells of the log are, if they are nodes */
  constructor(head, log, nodes = null) {
    this.nodes = nodes;
    this.width = head.width;
    this.height = head.height;
    this.agents = head.agents;
    this.end = head.end;
    this.stride = head.width + 2;
    this.inSteps = head.inSteps;
    this.diagonal = head.diagonal;
    this.tick = head.tick;
    this.diagonals = true; // whether moves go diagonally too
    /** @type {Uint8Array | null} */
    this.terrain = null; // what cells cost, in quarters
    /** @type {any} */
    this.search = null;
    this.readPositions(log);
    this.readTasks(log);
    this.readRefusals(log);
    this.readCounts(log);
    this.readWalls(log);
  }

  x(cell) {
    return this.nodes ? this.nodes.x[cell] : (cell % this.stride) - 1;
  }

  y(cell) {
    return this.nodes ? this.nodes.y[cell] : Math.floor(cell / this.stride) - 1;
  }

  // Where a cell is, in words; a node has a name.
  nameOf(cell) {
    return this.nodes ? this.nodes.names[cell] : `(${this.x(cell)}, ${this.y(cell)})`;
  }

  // Whether who is at a node has reached a goal: a body that turns in any heading.
  isGoal(cell, goal) {
    return cell === goal || (this.nodes !== null && this.nodes.stand[cell] === goal);
  }

  // Row `first[agent]` is the start; the others are moves, joins and leaves.
  readPositions({ kinds, begin, first, ticks, kind, cell }) {
    const lands = (k) => k === kinds.move || k === kinds.join || k === kinds.leave;
    const size = this.agents + count(kind, lands);
    const places = {
      first: new Uint32Array(this.agents + 1),
      time: new Float64Array(size),
      from: new Int32Array(size),
      to: new Int32Array(size),
      span: new Float32Array(size),
      found: new Uint32Array(this.agents),
    };
    this.releasedAt = new Float64Array(this.agents).fill(Infinity);
    let at = 0;
    for (let agent = 0; agent < this.agents; agent++) {
      let here = begin[agent];
      places.first[agent] = places.found[agent] = at;
      places.time[at] = -1;
      places.from[at] = places.to[at] = here;
      at++;
      for (let row = first[agent]; row < first[agent + 1]; row++) {
        if (kind[row] === kinds.release) this.releasedAt[agent] = ticks[row] * this.tick;
        if (!lands(kind[row])) continue;
        const there = kind[row] === kinds.leave ? NOWHERE : cell[row];
        const glides = kind[row] === kinds.move && here !== NOWHERE;
        places.time[at] = ticks[row] * this.tick;
        places.from[at] = glides ? here : there;
        places.to[at] = there;
        places.span[at] = glides ? this.duration(here, there) : 0;
        here = there;
        at++;
      }
    }
    places.first[this.agents] = at;
    this.places = places;
  }

  duration(here, there) {
    if (this.inSteps) return 1;
    const dx = Math.abs(this.x(here) - this.x(there));
    const dy = Math.abs(this.y(here) - this.y(there));
    return Math.min(dx, dy) * (this.diagonal - 1) + Math.max(dx, dy);
  }

  readTasks({ kinds, first, ticks, kind, cell }) {
    const size = count(kind, (k) => k === kinds.goal || k === kinds.arrive);
    const tasks = {
      first: new Uint32Array(this.agents + 1),
      time: new Float64Array(size),
      goal: new Int32Array(size),
      isThere: new Uint8Array(size),
      found: new Uint32Array(this.agents),
    };
    let at = 0;
    for (let agent = 0; agent < this.agents; agent++) {
      tasks.first[agent] = tasks.found[agent] = at;
      for (let row = first[agent]; row < first[agent + 1]; row++) {
        if (kind[row] !== kinds.goal && kind[row] !== kinds.arrive) continue;
        tasks.time[at] = ticks[row] * this.tick;
        tasks.goal[at] = cell[row];
        tasks.isThere[at] = kind[row] === kinds.arrive ? 1 : 0;
        at++;
      }
    }
    tasks.first[this.agents] = at;
    this.tasks = tasks;
  }

  readRefusals({ kinds, first, ticks, kind, cell }) {
    const rows = new Uint32Array(count(kind, (k) => k === kinds.refused));
    const ofAgent = new Uint32Array(this.agents + 1);
    const whose = new Uint32Array(rows.length);
    let at = 0;
    for (let agent = 0; agent < this.agents; agent++) {
      ofAgent[agent] = at;
      for (let row = first[agent]; row < first[agent + 1]; row++) {
        if (kind[row] !== kinds.refused) continue;
        whose[at] = agent;
        rows[at++] = row;
      }
    }
    ofAgent[this.agents] = at;
    const order = orderBy(Uint32Array.from(rows, (row) => ticks[row]));
    this.refusalRows = {
      time: Float64Array.from(order, (i) => ticks[rows[i]] * this.tick),
      agent: Uint32Array.from(order, (i) => whose[i]),
      cell: Int32Array.from(order, (i) => cell[rows[i]]),
      ofAgent,
      agentTime: Float64Array.from(rows, (row) => ticks[row] * this.tick),
    };
  }

  // An agent counts as arrived from ARRIVE until it gets a new goal or is pushed off; as present from JOIN to LEAVE.
  readCounts({ kinds, begin, first, ticks, kind, cell }) {
    const arrived = new Steps();
    const present = new Steps();
    const reached = new Steps();
    for (let agent = 0; agent < this.agents; agent++) {
      let here = begin[agent];
      let goal = NOWHERE;
      let hasArrived = false;
      let countsArrived = false;
      let countsPresent = false;
      const look = (tick) => {
        const isPresent = here !== NOWHERE;
        const isThere = isPresent && hasArrived && this.isGoal(here, goal);
        if (isPresent !== countsPresent) present.add(tick, isPresent ? 1 : -1);
        if (isThere !== countsArrived) arrived.add(tick, isThere ? 1 : -1);
        countsPresent = isPresent;
        countsArrived = isThere;
      };
      look(0);
      for (let row = first[agent]; row < first[agent + 1]; row++) {
        if (kind[row] === kinds.move || kind[row] === kinds.join) here = cell[row];
        else if (kind[row] === kinds.leave) here = NOWHERE;
        else if (kind[row] === kinds.goal || kind[row] === kinds.arrive) {
          goal = cell[row];
          hasArrived = kind[row] === kinds.arrive;
          if (hasArrived) reached.add(ticks[row], 1);
        } else continue;
        look(ticks[row]);
      }
    }
    /** @type {any} */
    this.arrived = arrived.summed(this.tick);
    /** @type {any} */
    this.present = present.summed(this.tick);
    /** @type {any} */
    this.reached = reached.summed(this.tick);
  }

  readWalls({ changeTicks, changeCells, blocks, walls }) {
    this.walls = walls;
    this.firstWalls = walls.slice();
    /** @type {any} */
    this.changes = {
      time: Float64Array.from(changeTicks, (tick) => tick * this.tick),
      index: Int32Array.from(changeCells, (cell) => this.y(cell) * this.width + this.x(cell)),
      value: blocks,
      before: new Uint8Array(blocks.length),
      done: 0,
    };
  }

  placeRow(agent, t) {
    return findRow(this.places, agent, t);
  }

  // The agent's place at `t`, as fractions of cells, into `out`; false if it is not in the world.
  position(agent, t, out) {
    const { time, from, to, span } = this.places;
    const row = this.placeRow(agent, t);
    const there = to[row];
    if (there === NOWHERE) return false;
    const x = this.x(there);
    const y = this.y(there);
    const part = span[row] > 0 ? Math.min((t - time[row]) / span[row], 1) : 1;
    if (this.nodes) {
      this.nodes.between(part < 1 ? from[row] : there, there, part, out);
      return true;
    }
    out.x = part < 1 ? x + (1 - part) * (this.x(from[row]) - x) : x;
    out.y = part < 1 ? y + (1 - part) * (this.y(from[row]) - y) : y;
    return true;
  }

  // Where the body of an agent is heading, in radians clockwise from east.
  headingOf(agent, t) {
    const { time, from, to, span } = this.places;
    const row = this.placeRow(agent, t);
    if (!this.nodes || to[row] === NOWHERE) return 0;
    return this.nodes.turned(span[row] > 0 ? from[row] : to[row], to[row], span[row] > 0 ? Math.min((t - time[row]) / span[row], 1) : 1);
  }

  // The places of the agent during the last `length` time units, the latest first, given to `add` as fractions of cells.
  trail(agent, t, length, add) {
    const { first, time, from, to, span } = this.places;
    for (let i = this.placeRow(agent, t); i > first[agent] && from[i] !== NOWHERE && span[i] > 0; i--) {
      if (time[i] + span[i] <= t - length || (this.nodes && this.nodes.level[from[i]] !== this.nodes.level[to[i]])) break;
      const over = clamp((t - length - time[i]) / span[i], 0, 1); // the part of this move that is too long ago
      const [x, y] = [this.x(from[i]), this.y(from[i])];
      add(x + over * (this.x(to[i]) - x), y + over * (this.y(to[i]) - y));
    }
  }

  // The cell the agent is in: the one it moves to, from the moment the move begins.
  cellOf(agent, t) {
    return this.places.to[this.placeRow(agent, t)];
  }

  goalOf(agent, t) {
    const row = findRow(this.tasks, agent, t);
    return row < this.tasks.first[agent] ? NOWHERE : this.tasks.goal[row];
  }

  isThere(agent, t) {
    const row = findRow(this.tasks, agent, t);
    if (row < this.tasks.first[agent] || !this.tasks.isThere[row]) return false;
    return this.isGoal(this.cellOf(agent, t), this.tasks.goal[row]);
  }

  isReleased(agent, t) {
    return this.releasedAt[agent] <= t;
  }

  // Refused moves by time.
  /** @returns {any} */
  get refusals() {
    return this.refusalRows;
  }

  refusalsUntil(t) {
    return upperBound(this.refusals.time, t, 0, this.refusals.time.length);
  }

  refusalsOf(agent, t) {
    const { ofAgent, agentTime } = this.refusals;
    return upperBound(agentTime, t, ofAgent[agent], ofAgent[agent + 1]) - ofAgent[agent];
  }

  // Bring the walls to time `t`; tells `changed` each index whose wall is not what it was.
  moveWalls(t, changed) {
    const { time, index, value, before } = this.changes;
    while (this.changes.done < time.length && time[this.changes.done] <= t) {
      const i = this.changes.done++;
      before[i] = this.walls[index[i]];
      this.walls[index[i]] = value[i];
      changed(index[i]);
    }
    while (this.changes.done > 0 && time[this.changes.done - 1] > t) {
      const i = --this.changes.done;
      this.walls[index[i]] = before[i];
      changed(index[i]);
    }
  }
}

// A log in which nothing happens.
export function stillLog(head, walls) {
  const none = new Uint32Array(0);
  return {
    kinds: Object.fromEntries(head.kinds.map((name, number) => [name, number])),
    begin: new Int32Array(head.agents).fill(NOWHERE),
    first: new Uint32Array(head.agents + 1),
    ticks: none,
    kind: none,
    cell: none,
    changeTicks: none,
    changeCells: none,
    blocks: new Uint8Array(0),
    walls,
  };
}
