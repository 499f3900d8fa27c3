// Tools: what the pointer, a finger or the keyboard does to a world that runs. Every change can be undone.
//
//   hand    drag agents, goals, the start and the goal of a search; elsewhere it moves the map
//   wall    paint walls        erase   take walls away        terrain   paint cells in which walking costs more or less
//   agent   press at a start, drag to a goal

import { byId } from "../replay/dom.js";
import { clamp } from "../replay/numbers.js";
import { line, PLAIN, wordsAt } from "./cells.js";

export const TOOLS = ["hand", "wall", "erase", "terrain", "agent"];
const KEYS = { m: "hand", b: "wall", r: "erase", z: "terrain", n: "agent" };
const SWITCHES = { q: "ahead", j: "waits", y: "flow" };
const WAYS = { arrowup: [0, -1], arrowdown: [0, 1], arrowleft: [-1, 0], arrowright: [1, 0] };
const MANY = 50;
const FLUSH = 60; // milliseconds between two messages of a stroke
const MOST_UNDO = 200;

/** @typedef {{ do: string, cells?: number[][], agent?: number, place?: number[], journeys?: number[][], count?: number, cost?: number, options?: any }} Edit */

export class Tools {
  /** @param {any} stage @param {(edit: Edit) => void} send  sends a change to all panels */
  constructor(stage, send) {
    this.stage = stage;
    this.send = send;
    this.tool = "hand";
    this.steered = -1; // the agent that the arrow keys move
    this.carried = null; // what the keyboard has picked up
    /** @type {Edit[][]} */
    this.past = [];
    stage.grab = (panel, px, py) => this.hold(this.grab(panel, px, py));
    for (const name of TOOLS) byId(`tool-${name}`).addEventListener("click", () => this.choose(name));
    byId("undo").addEventListener("click", () => this.undo());
    byId("more").addEventListener("click", () => this.addMany());
    byId("steer").addEventListener("click", () => this.steer());
    document.addEventListener("keydown", (event) => this.key(event), true);
    this.choose("hand");
  }

  /** @param {string} name */
  choose(name) {
    this.tool = name;
    for (const each of TOOLS) byId(`tool-${each}`).setAttribute("aria-pressed", each === name);
    document.body.dataset.tool = name;
  }

  // --- the pointer

  // While something is held, panels stay as they are: new ones would not know the pointer.
  hold(handler) {
    if (!handler) return null;
    this.stage.isHeld = true;
    return {
      move: handler.move,
      drop: (px, py, isTap) => {
        const isDone = handler.drop(px, py, isTap);
        this.stage.release();
        return isDone;
      },
    };
  }

  grab(panel, px, py) {
    const index = panel.indexAt(px, py);
    if (index < 0) return null;
    if (["wall", "erase", "terrain"].includes(this.tool)) return this.stroke(panel, index, this.tool);
    if (this.tool === "agent") return this.stage.isLive ? this.journey(panel, index) : null;
    return this.drag(panel, index);
  }

  // Walls or terrain along a stroke, undone as one. Walls are told to the workers in portions; terrain at the end, since
  // controllers begin anew with it.
  stroke(panel, index, paint) {
    const { stage } = this;
    const { width, walls, terrain } = panel.timeline;
    const cost = Number(byId("cost").value);
    const done = new Set();
    const fresh = [];
    let last = index;
    let waiting = 0;
    const place = (each) => [each % width, Math.floor(each / width)];
    const isSame = (each) => (paint === "terrain" ? (terrain?.[each] ?? PLAIN) === PLAIN * cost : Boolean(walls[each]) === (paint === "wall"));
    const flush = () => {
      waiting = 0;
      if (!fresh.length) return;
      this.send({ do: { wall: "block", erase: "free", terrain: "terrain" }[paint], cells: fresh.splice(0), cost });
    };
    const draw = (at) => {
      for (const each of line(last, at, width)) {
        if (done.has(each) || isSame(each)) continue;
        done.add(each);
        stage.marks.set(each, paint);
        fresh.push(place(each));
      }
      last = at;
      if (paint !== "terrain") waiting ||= setTimeout(flush, FLUSH);
      stage.ask();
    };
    draw(index);
    return {
      move: (px, py) => {
        const at = panel.indexAt(px, py);
        if (at >= 0) draw(at);
      },
      drop: () => {
        clearTimeout(waiting);
        flush();
        if (done.size) this.remember(paint === "terrain" ? this.terrainBefore(panel, done) : [{ do: paint === "wall" ? "free" : "block", cells: [...done].map(place) }]);
        return true;
      },
    };
  }

  // The edits that bring back the terrain of some cells.
  terrainBefore(panel, cells) {
    const { width, terrain } = panel.timeline;
    const byCost = new Map();
    for (const each of cells) {
      const cost = (terrain?.[each] ?? PLAIN) / PLAIN;
      byCost.set(cost, [...(byCost.get(cost) ?? []), [each % width, Math.floor(each / width)]]);
    }
    return [...byCost].map(([cost, places]) => ({ do: "terrain", cells: places, cost }));
  }

  // An agent, a goal, or an end of a search.
  drag(panel, index) {
    const thing = this.thingAt(panel, index);
    if (!thing) return null;
    const { stage } = this;
    let at = index;
    return {
      move: (px, py) => {
        const next = panel.indexAt(px, py);
        if (next >= 0) at = next;
        stage.ghost = { index: at, from: index };
        stage.ask();
      },
      drop: (px, py, isTap) => {
        stage.ghost = null;
        stage.ask();
        if (isTap || at === index) return false;
        this.place(panel, thing, at);
        return true;
      },
    };
  }

  // What can be dragged at a cell; of an agent and a goal, the agent.
  thingAt(panel, index) {
    const { timeline, time } = panel;
    if (timeline.search) {
      const { startIndex, goalIndex } = timeline.search;
      if (index === startIndex) return { do: "put", agent: 0, before: index };
      return index === goalIndex ? { do: "goal", agent: 0, before: index } : null;
    }
    if (!timeline.isLive) return null;
    const agent = timeline.agentAt(index, timeline.end);
    if (agent >= 0) return { do: "put", agent, before: index };
    const whose = this.stage.show.goals || this.stage.follow >= 0 ? timeline.goalAt(index, time) : -1;
    return whose >= 0 ? { do: "goal", agent: whose, before: index } : null;
  }

  place(panel, thing, at) {
    const place = (index) => [index % panel.timeline.width, Math.floor(index / panel.timeline.width)];
    this.send({ do: thing.do, agent: thing.agent, place: place(at) });
    this.remember([{ do: thing.do, agent: thing.agent, place: place(thing.before) }]);
  }

  // A new agent.
  journey(panel, index) {
    const { stage } = this;
    let at = index;
    return {
      move: (px, py) => {
        const next = panel.indexAt(px, py);
        if (next >= 0) at = next;
        stage.ghost = { index: at, from: index };
        stage.ask();
      },
      drop: () => {
        stage.ghost = null;
        this.join(panel, index, at);
        return true;
      },
    };
  }

  join(panel, from, to) {
    const { width } = panel.timeline;
    const journey = [from % width, Math.floor(from / width), to % width, Math.floor(to / width)];
    this.send({ do: "join", journeys: [journey] });
    this.remember([{ do: "leave", agent: panel.timeline.nextAgent }]);
  }

  addMany() {
    const first = this.stage.panels[0];
    if (!first?.timeline.isLive) return;
    const n = first.timeline.nextAgent;
    this.send({ do: "add", count: MANY });
    this.remember(Array.from({ length: MANY }, (_, i) => ({ do: "leave", agent: n + MANY - 1 - i }))); // the last first
  }

  // --- undo

  /** @param {Edit[]} inverse */
  remember(inverse) {
    this.past.push(inverse);
    if (this.past.length > MOST_UNDO) this.past.shift();
    byId("undo").disabled = false;
  }

  undo() {
    const inverse = this.past.pop();
    if (inverse) for (const edit of inverse) this.send(edit);
    byId("undo").disabled = !this.past.length;
  }

  forget() {
    this.past = [];
    this.steered = -1;
    this.carried = null;
    byId("undo").disabled = true;
  }

  // --- steering: the agent that is followed is moved by the arrow keys alone

  steer() {
    const { stage } = this;
    if (!stage.isLive) return;
    if (this.steered >= 0) {
      this.send({ do: "resume", agent: this.steered });
      this.steered = -1;
    } else if (stage.follow >= 0) {
      this.steered = stage.follow;
      this.send({ do: "hold", agent: this.steered });
    } else byId("said").textContent = "Follow an agent first: click it, or press F.";
    byId("steer").setAttribute("aria-pressed", this.steered >= 0);
  }

  // --- the keyboard

  key(event) {
    const { stage } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && event.target.matches("input, select, textarea, summary")) return;
    const key = event.key.toLowerCase();
    const way = WAYS[key];
    const first = stage.panels[0];
    const isOnButton = event.target instanceof Element && event.target.matches("button, a");
    if (way && this.steered >= 0 && first) {
      const cell = first.timeline.cellOf(this.steered, first.timeline.end);
      this.send({ do: "move", agent: this.steered, place: [first.timeline.x(cell) + way[0], first.timeline.y(cell) + way[1]] });
      if (!stage.isPlaying) stage.step(1);
    } else if (way && stage.cursor !== null && first) this.moveCursor(first, way);
    else if (key === "enter" && first && !isOnButton) this.enter(first);
    else if (key === "escape" && stage.cursor !== null) {
      stage.cursor = stage.ghost = this.carried = null;
      stage.ask();
    } else if (KEYS[key]) this.choose(KEYS[key]);
    else if (SWITCHES[key] && stage.useful[SWITCHES[key]]) stage.deck.toggle(SWITCHES[key]);
    else if (key === "u") this.undo();
    else if (key === "k") this.steer();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  moveCursor(panel, [dx, dy]) {
    const { stage } = this;
    const { width, height } = panel.timeline;
    const x = clamp((stage.cursor % width) + dx, 0, width - 1);
    const y = clamp(Math.floor(stage.cursor / width) + dy, 0, height - 1);
    stage.cursor = y * width + x;
    if (this.carried) stage.ghost = { index: stage.cursor, from: this.carried.before };
    byId("said").textContent = wordsAt(panel, stage.cursor);
    stage.ask();
  }

  // Enter shows the cursor; then it does what a click with the tool does.
  enter(panel) {
    const { stage } = this;
    const { timeline } = panel;
    if (stage.cursor === null) {
      stage.cursor = Math.floor(timeline.height / 2) * timeline.width + Math.floor(timeline.width / 2);
      byId("said").textContent = `${wordsAt(panel, stage.cursor)}. Arrow keys move the cursor, Enter uses the tool, Escape ends it.`;
    } else if (["wall", "erase", "terrain"].includes(this.tool)) this.stroke(panel, stage.cursor, this.tool).drop();
    else if (this.carried) {
      if (this.carried.do === "join") this.join(panel, this.carried.before, stage.cursor);
      else this.place(panel, this.carried, stage.cursor);
      this.carried = stage.ghost = null;
    } else if (this.tool === "agent") this.carried = stage.isLive ? { do: "join", before: stage.cursor } : null;
    else this.carried = this.thingAt(panel, stage.cursor);
    stage.ask();
  }
}
