// Panel: one record on the page: its map, its counters, its collisions over time, its facts.

import { Bodies } from "./bodies.js";
import { BodyLegend } from "./body_legend.js";
import { Curve } from "./curve.js";
import { NOWHERE } from "./decode.js";
import { addPair, byId, fillList, setParts } from "./dom.js";
import { handle } from "./gestures.js";
import { Lanes } from "./lanes.js";
import { Notes } from "./notes.js";
import { Painter } from "./painter.js";
import { OPEN, OPEN_BACK, ROW_OPENED } from "./search.js";
import { Strip } from "./strip.js";
import { View } from "./view.js";
import { areRefused, capital, clockText, number, refusalWord } from "./words.js";

export class Panel {
  constructor(replay, head, timeline, layers) {
    this.replay = replay;
    this.timeline = timeline;
    this.layers = layers;
    const node = byId("panel").content.cloneNode(true);
    this.isBeside = false; // whether the words stand beside the map
    this.isNarrow = false;
    this.root = node.querySelector(".panel");
    this.root.querySelector("h2").textContent = head.title;
    this.root.setAttribute("aria-label", head.title || "Replay");
    this.canvas = this.root.querySelector(".stage canvas");
    this.canvas.setAttribute("aria-label", this.describe(head));
    this.followed = this.root.querySelector(".followed");
    fillList(this.root.querySelector(".facts"), head.facts);
    this.view = new View(timeline.width, timeline.height);
    this.painter = new Painter(this.canvas, timeline, this.view, timeline.lanes || new Lanes(timeline, head.lanes.alpha), layers);
    this.painter.ask = () => replay.ask();
    this.makeCounters();
    this.strip = new Strip(this.root.querySelector(".strip"), timeline, replay);
    this.curve = new Curve(this.root.querySelector(".curve"), timeline, replay, head.lanes.coherence);
    this.notes = new Notes(this.root.querySelector(".notes"), layers, timeline, replay);
    if (timeline instanceof Bodies) this.legend = new BodyLegend(this.root.querySelector(".notes"), timeline, replay);
    handle(this.canvas, this.view, {
      act: (change, isPan) => replay.look(this, change, isPan),
      choose: (px, py) => this.choose(px, py),
      hover: timeline.search || timeline.isLive ? (px, py) => replay.point(this, this.indexAt(px, py)) : null,
      grab: replay.grab ? (px, py) => replay.grab(this, px, py) : null,
    });
    byId("panels").append(node);
  }

  setLayers(layers) {
    this.layers = layers;
    this.painter.setLayers(layers);
    this.notes.renew(layers);
  }

  // The index of the cell at a pixel, -1 outside of the map.
  indexAt(px, py) {
    const [x, y] = [Math.floor(this.view.mapX(px)), Math.floor(this.view.mapY(py))];
    return x >= 0 && y >= 0 && x < this.timeline.width && y < this.timeline.height ? y * this.timeline.width + x : -1;
  }

  describe({ title, width, height, agents, search }) {
    if (search) return `${title || "Search"}: a search on a map of ${width} by ${height} cells`;
    const where = this.timeline.nodes?.picture ? "in the world of the picture" : `on a map of ${width} by ${height} cells`;
    return `${title || "Replay"}: ${number.format(agents)} agents ${where}`;
  }

  makeCounters() {
    const { timeline } = this;
    if (timeline.search) {
      this.makeSearchCounters(timeline.search);
      return;
    }
    const names = [["time", timeline.inSteps ? "Step" : timeline.bodies ? "Seconds" : "Time"]];
    names.push(timeline.tasks.time.length ? ["arrived", "Arrived"] : ["present", "Agents"]);
    if (timeline.reached.last > timeline.agents) names.push(["reached", "Goals reached"]);
    if (this.replay.hasRefusals) names.push(["refused", capital(refusalWord(timeline))]);
    const list = this.root.querySelector(".counters");
    this.counters = {};
    for (const [key, label] of names) this.counters[key] = addPair(list, label, "");
  }

  makeSearchCounters(search) {
    const names = search.unit === "moves" ? [["moves", "Moves"]] : [];
    names.push(["expanded", "Expanded"]);
    if (search.kind.includes(ROW_OPENED)) names.push(["open", "Open"]);
    if (search.hasScans) names.push(["scanned", "Scanned"]);
    const list = this.root.querySelector(".counters");
    this.counters = {};
    for (const [key, label] of names) this.counters[key] = addPair(list, label, "");
  }

  looksLike(other) {
    return this.timeline.width === other.timeline.width && this.timeline.height === other.timeline.height;
  }

  get time() {
    return Math.min(this.replay.time, this.timeline.end);
  }

  draw() {
    const { replay, timeline, time } = this;
    const inView = { x: 0, y: 0 };
    if (replay.follow >= 0 && replay.keepsInView && this.view.zoom > 1 && replay.follow < timeline.agents) {
      if (timeline.position(replay.follow, time, inView)) this.view.centre(inView.x + 0.5, inView.y + 0.5);
    }
    this.canvas.classList.toggle("near", this.view.zoom > 1);
    // at high speed a refusal would be gone within a frame: it is seen for at least a fifth of a second
    const flash = Math.max(1.5, replay.isPlaying ? 0.2 * replay.speed * replay.pace : 0);
    const follow = replay.follow < timeline.agents ? replay.follow : -1;
    const hover = timeline.search && replay.pointed && this.looksLike(replay.pointed.panel) ? replay.pointed.index : -1;
    this.painter.draw(time, { show: replay.show, flash, follow, hover });
    if (timeline.search) this.tellSearch(time, hover);
    else this.tell(time, follow);
    this.notes.tell(time, follow);
    this.legend?.tell(time, this.painter.bodies);
    this.strip.draw(replay.time, replay.end);
    this.curve.draw(replay.time, replay.end);
  }

  tell(t, follow) {
    const { timeline, counters } = this;
    const present = timeline.present.at(t);
    setParts(counters.time, clockText(t, timeline.inSteps));
    if (counters.present) setParts(counters.present, number.format(present));
    if (counters.arrived) {
      setParts(counters.arrived, number.format(timeline.arrived.at(t)), ` / ${number.format(present)}`);
    }
    if (counters.reached) setParts(counters.reached, number.format(timeline.reached.at(t)));
    if (counters.refused) {
      const refused = timeline.refusalsUntil(t);
      setParts(counters.refused, number.format(refused));
      counters.refused.parentNode.classList.toggle("alarm", refused > 0 && !areRefused(timeline));
    }
    this.tellFollowed(t, follow);
  }

  tellSearch(t, hover) {
    const { counters, timeline, followed } = this;
    const { search } = timeline;
    const values = { moves: Math.min(Math.floor(t + 1e-9), search.end), expanded: search.nExpanded };
    if (search.isTimedByExpansions) values.expanded = Math.min(Math.floor(t + 1e-9), search.end);
    values.open = search.count[OPEN] + search.count[OPEN_BACK];
    values.scanned = search.nScanned;
    for (const [key, node] of Object.entries(counters)) setParts(node, number.format(values[key]));
    const words = hover < 0 ? ["Point at a cell to see its g, h and f"] : search.describe(hover);
    if (followed.dataset.text === words.join()) return;
    followed.dataset.text = words.join();
    followed.classList.toggle("nobody", hover < 0);
    followed.replaceChildren(
      ...words.map((word) => {
        const part = document.createElement("span");
        part.textContent = word;
        return part;
      }),
    );
  }

  tellFollowed(t, agent) {
    const { timeline } = this;
    const words = [];
    if (agent >= 0) {
      const here = { x: 0, y: 0 };
      const isHere = timeline.position(agent, t, here);
      const goal = timeline.goalOf(agent, t);
      const place = timeline.nodes ? timeline.nameOf(timeline.cellOf(agent, t)) : `(${Math.round(here.x)}, ${Math.round(here.y)})`;
      words.push(isHere ? `at ${place}` : "not in the world");
      if (isHere && timeline.isThere(agent, t)) words.push("arrived");
      else if (goal !== NOWHERE) words.push(`goal ${timeline.nameOf(goal)}`);
      if (timeline.nodes && timeline.nodes.shapes.length > 1) words.push(timeline.nodes.shape(agent).name);
      if (timeline.isReleased(agent, t)) words.push("out of control");
      if (isHere && this.painter.bodies) {
        const state = timeline.stateOf(agent, t);
        words.push(timeline.bodies.kinds[timeline.kindOf[agent]], `${timeline.speedOf(agent, t).toFixed(1)} m/s`);
        if (state >= 0) words.push(timeline.bodies.states[state]);
      }
      const refused = timeline.refusalsOf(agent, t);
      if (this.replay.hasRefusals) words.push(`${number.format(refused)} ${refusalWord(timeline, refused)}`);
      this.followed.style.setProperty("--hue", this.painter.colour(agent));
    }
    const text = agent < 0 ? "Click an agent to follow it" : [`Agent ${agent}`, ...words].join("\n");
    if (this.followed.dataset.text === text) return;
    this.followed.dataset.text = text;
    this.followed.classList.toggle("nobody", agent < 0);
    this.followed.replaceChildren(
      ...text.split("\n").map((word, i) => {
        const part = document.createElement(i || agent < 0 ? "span" : "b");
        part.textContent = word;
        return part;
      }),
    );
  }

  // Follow the agent nearest to the pixel, or none if none is near.
  choose(px, py) {
    const { painter, timeline, view } = this;
    if (timeline.search) {
      this.replay.point(this, this.indexAt(px, py));
      return;
    }
    const reach = Math.max(0.75 * view.scale, 14 * devicePixelRatio);
    let nearest = -1;
    let best = reach * reach;
    painter.locate(this.time);
    for (let agent = 0; agent < timeline.agents; agent++) {
      const apart = (painter.xs[agent] - px) ** 2 + (painter.ys[agent] - py) ** 2;
      if (painter.isShown[agent] && apart < best) [nearest, best] = [agent, apart];
    }
    this.replay.followAgent(nearest);
  }

  // The height of everything but the map.
  get heightOfWords() {
    const frame = 30;
    if (this.isBeside) return frame;
    const [title, counters, , side] = [...this.root.children].map((part) => part.offsetHeight);
    return frame + (this.isNarrow ? title + counters + 30 : Math.max(title, counters) + 20) + side;
  }

  resize(highest) {
    const wide = this.canvas.parentNode.clientWidth;
    const high = Math.round(Math.min((wide * this.timeline.height) / this.timeline.width, highest));
    const ratio = devicePixelRatio;
    const size = [Math.max(1, Math.round(wide * ratio)), Math.max(1, Math.round(high * ratio))];
    this.canvas.style.height = `${high}px`;
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      [this.canvas.width, this.canvas.height] = size;
      this.view.resize(...size);
    }
    this.strip.resize();
    this.curve.resize();
  }
}
