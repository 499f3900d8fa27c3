// The playground: joins the link to the server, the stage, the tools and the menu.

import { Deck, arrange, byId, drawLegend, readTheme, NOWHERE } from "./engine.js";
import { metricsOf } from "./charts.js";
import { Link } from "./link.js";
import { BEGIN, FILE, STEPS, headOf, readFile } from "./live.js";
import { Menu, download, drawnMap } from "./menu.js";
import { checked, decode, encode, firstScene, forWorker } from "./scene.js";
import { Stage, liveOf, trackOf } from "./stage.js";
import { States } from "./states.js";
import { Tools } from "./tools.js";

const KEEP_AFTER = 400; // milliseconds after the last change at which the address holds the scene
const WORDS = {
  connecting: "Connecting.",
  ready: "Ready.",
  loading: "Starting. The first use of an algorithm compiles it, which takes some seconds.",
  offline: "The server does not answer. What has happened can be watched; the page connects again by itself.",
  stopped: "",
};

class App {
  constructor() {
    this.scene = firstScene();
    this.stage = new Stage((panel, step) => this.link.send({ type: "until", panel, step }), () => this.states.go("ended"));
    this.states = new States((state, before) => this.entered(state, before));
    this.tools = new Tools(this.stage, (edit) => this.edit(edit));
    this.heads = new Map(); // what workers said before their first frame
    this.expected = 0;
    this.about = "";
    const { stage } = this;
    stage.deck = new Deck(stage);
    const dress = () => {
      stage.theme = readTheme();
      drawLegend(byId("legend"), stage.theme);
      stage.dress();
    };
    dress();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
    new ResizeObserver(() => arrange(stage)).observe(byId("panels"));
    addEventListener("resize", () => arrange(stage));
    if (innerWidth <= 720) byId("scene").open = false;
    byId("again").addEventListener("click", () => this.start());
    for (const [name, event] of [["play", "played"], ["pause", "paused"]]) {
      const before = stage[name].bind(stage);
      stage[name] = () => {
        before();
        this.states.go(event);
      };
    }
  }

  async open() {
    const get = async (path) => (await fetch(path)).json();
    const [algorithms, maps, { scenes, tour, first }] = await Promise.all(["/api/algorithms", "/api/maps", "/api/scenes"].map(get));
    this.menu = new Menu({ algorithms, maps, scenes, tour }, this);
    this.scene = (await decode(location.hash.slice(1))) ?? checked(first);
    this.menu.update();
    this.link = new Link({
      opened: () => this.states.go("opened"),
      closed: (why) => {
        this.states.go("closed");
        if (why) this.say(why);
      },
      told: (message) => this.told(message),
      frame: (buffer) => this.frame(buffer),
    });
  }

  entered(state, before) {
    document.body.dataset.state = state;
    if (state in WORDS) this.say(WORDS[state]);
    if (state !== "stopped") byId("alarm").hidden = true;
    if (state === "ready") this.start();
    if (state === "running" && before === "loading") this.say(this.about || this.sentence());
  }

  say(text) {
    byId("said").textContent = text;
  }

  sentence() {
    const names = this.scene.algorithms.map(({ name }) => this.menu.byId.get(name)?.label ?? name);
    return `${names.join(" beside ")}. Drag agents and goals, paint walls, or press ? for the keys.`;
  }

  /** Begin the scene. @param {string} [about]  what to say about it */
  start(about = "") {
    if (!this.link?.isOpen) return;
    this.about = about;
    this.tools.forget();
    this.isTouched = false;
    this.walls = null;
    this.heads.clear();
    byId("notice")?.remove();
    byId("alarm").hidden = true;
    const n = this.scene.algorithms.length;
    for (const panel of [...this.stage.slots.keys()]) {
      if (panel >= n) {
        this.link.send({ type: "close", panel });
        this.stage.slots.delete(panel);
      }
    }
    this.stage.clear();
    this.began = 0;
    this.waiting = new Map();
    this.states.go("asked");
    this.menu.update();
    for (let panel = 0; panel < n; panel++) this.link.send({ type: "open", panel, scene: forWorker(this.scene, panel) });
    this.keep();
  }

  /** Change the world of all panels, or of one. @param {any} edit @param {number} [only] */
  edit(edit, only) {
    for (const panel of only === undefined ? this.stage.slots.keys() : [only]) this.link.send({ type: "edit", panel, edit });
    for (const { timeline } of this.stage.slots.values()) timeline.isOver = false;
    for (const slot of this.stage.slots.values()) slot.asked = slot.timeline.isLive ? slot.timeline.end : 0;
    this.stage.measure();
    if (this.stage.isLive && this.states.go("changed")) this.stage.play();
    this.noteEdit(edit);
    this.keep();
    this.stage.ask();
  }

  // Walls, start and goal belong to the scene.
  noteEdit(edit) {
    const timeline = this.stage.panels[0]?.timeline;
    if (!timeline) return;
    if (edit.do === "block" || edit.do === "free") {
      if (!this.scene.map.walls || this.walls?.length !== timeline.walls.length) this.walls = timeline.walls.slice();
      for (const [x, y] of edit.cells) this.walls[y * timeline.width + x] = edit.do === "block" ? 1 : 0;
      this.scene.map = drawnMap({ ...timeline, width: timeline.width, height: timeline.height, walls: this.walls }, this.scene.map.name);
    } else if (this.scene.kind === "search" && edit.do === "put") this.scene.start = edit.place;
    else if (this.scene.kind === "search" && edit.do === "goal") this.scene.goal = edit.place;
    else if (this.scene.kind === "agents" && ["put", "goal", "join", "add", "leave"].includes(edit.do)) this.isTouched = true;
  }

  /** The scene with the agents where they are, if they were touched. */
  sceneNow() {
    const timeline = this.stage.panels[0]?.timeline;
    if (!this.isTouched || !timeline?.isLive) return this.scene;
    const { cells, goals } = timeline.momentAt(timeline.end);
    const journeys = [];
    cells.forEach((cell, agent) => {
      if (cell !== NOWHERE) journeys.push([timeline.x(cell), timeline.y(cell), timeline.x(goals[agent]), timeline.y(goals[agent])]);
    });
    return { ...this.scene, journeys, errand: this.scene.errand === "tasks" ? "one_shot" : this.scene.errand };
  }

  /** Let the address hold the scene, so that it is there again after the page is loaded anew. */
  keep() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(async () => history.replaceState(null, "", `#${await encode(this.scene)}`), KEEP_AFTER);
  }

  /** @param {string} format */
  export(format) {
    this.say("Making the file.");
    this.link.send({ type: "export", panel: 0, format });
  }

  /** What a worker or the server says. @param {any} message */
  async told(message) {
    const { type, panel } = message;
    const slot = this.stage.slots.get(panel);
    if (type === "begin") this.heads.set(panel, message);
    else if (type === "track") this.show(panel, await trackOf(message.head));
    else if (type === "thinking") {
      if (this.states.now !== "loading") this.say(message.seconds ? `Planning for ${message.seconds.toFixed(1)} s.` : "Working.");
    } else if (type === "planned") this.say(`Planned ${message.steps} steps in ${message.seconds} s.`);
    else if (type === "refused") {
      this.say(message.why);
      this.stage.marks.clear();
      this.stage.ask();
      if (this.states.now === "loading" && !slot) this.stopped(message.why);
    } else if (type === "failed" || type === "stopped") this.stopped(message.why);
    else if (type === "over" && slot) {
      slot.timeline.isOver = true;
      this.stage.grown();
    }
  }

  stopped(why) {
    this.stage.pause();
    if (!this.states.go("stopped")) return;
    byId("alarm").hidden = false;
    byId("alarm").querySelector("span").textContent = why;
  }

  /** @param {ArrayBuffer} buffer */
  async frame(buffer) {
    const { kind, panel } = headOf(buffer);
    if (kind === FILE) {
      const { name, bytes } = readFile(buffer);
      download(name, bytes);
      this.say(`${name} is saved.`);
    } else if (kind === BEGIN) {
      const head = this.heads.get(panel);
      if (head) this.show(panel, await liveOf(head, buffer));
    } else if (kind === STEPS) {
      const slot = this.stage.slots.get(panel) ?? this.waiting.get(panel);
      if (!slot) return;
      slot.timeline.append(buffer);
      this.stage.grown();
      this.tellTable();
    }
  }

  // All panels of a scene appear together, so that they go in lock-step.
  show(panel, slot) {
    const n = this.scene.algorithms.length;
    if (panel >= n) return;
    if (this.stage.slots.size === n) {
      this.stage.put(panel, slot);
      return;
    }
    this.waiting.set(panel, slot);
    if (this.waiting.size < n) return;
    for (const [each, ready] of this.waiting) this.stage.slots.set(each, ready);
    this.waiting.clear();
    this.stage.refresh(null);
    this.states.go("begun");
    const { search } = this.stage.panels[0].timeline;
    if (search) {
      const place = (index) => [index % search.width, Math.floor(index / search.width)];
      this.scene.start ??= place(search.startIndex);
      this.scene.goal ??= place(search.goalIndex);
    }
    this.tellTable();
  }

  // The table of a comparison, about four times a second.
  tellTable() {
    const slots = [...this.stage.slots.values()].filter(({ timeline }) => timeline.isLive);
    byId("table").hidden = slots.length < 2;
    if (slots.length < 2 || performance.now() - (this.tabled ?? 0) < 250) return;
    this.tabled = performance.now();
    const columns = slots.map(({ timeline }) => metricsOf(timeline));
    const cell = (tag, text, isBest = false) => Object.assign(document.createElement(tag), { textContent: text, className: isBest ? "best" : "" });
    const head = document.createElement("tr");
    head.append(cell("th", ""), ...slots.map(({ head: { title } }) => cell("th", title)));
    const isLess = new Set(["Refused moves", "Planning, ms a step", "On their way"]);
    const rows = Object.keys(columns[0]).map((name) => {
      const values = columns.map((column) => column[name]);
      const best = isLess.has(name) ? Math.min(...values) : name === "Goals reached" ? Math.max(...values) : NaN;
      const row = document.createElement("tr");
      const shown = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2));
      row.append(cell("th", name), ...values.map((value) => cell("td", shown(value), value === best && new Set(values).size > 1)));
      return row;
    });
    byId("table").querySelector("thead").replaceChildren(head);
    byId("table").querySelector("tbody").replaceChildren(...rows);
  }
}

// For tests and the curious: what is shown, and how to ask for more.
function inspection(app) {
  const slot = (panel) => [...app.stage.slots.entries()].sort(([a], [b]) => a - b)[panel]?.[1];
  return Object.freeze({
    state: () => app.states.now,
    said: () => byId("said").textContent,
    panels: () => app.stage.panels.length,
    time: () => app.stage.time,
    end: () => app.stage.end,
    agents: (panel = 0) => slot(panel)?.timeline.agents ?? 0,
    places: (panel = 0) => {
      const { timeline } = slot(panel);
      return Array.from(timeline.momentAt(timeline.end).cells, (cell) => (cell === NOWHERE ? null : [timeline.x(cell), timeline.y(cell)]));
    },
    goals: (panel = 0) => {
      const { timeline } = slot(panel);
      return Array.from(timeline.momentAt(timeline.end).goals, (cell) => (cell === NOWHERE ? null : [timeline.x(cell), timeline.y(cell)]));
    },
    path: (panel = 0) => slot(panel)?.timeline.search?.path ?? null,
    walls: (panel = 0) => Array.from(slot(panel)?.timeline.walls ?? []),
    pixel: (x, y, panel = 0) => {
      const { view, canvas } = app.stage.panels[panel];
      const box = canvas.getBoundingClientRect();
      return [box.left + view.screenX(x + 0.5) / devicePixelRatio, box.top + view.screenY(y + 0.5) / devicePixelRatio];
    },
    vectors: (panel = 0) => {
      const { arrows } = app.stage.panels[panel].painter;
      arrows.moveTo(app.stage.time);
      let n = 0;
      for (let i = 0; i < arrows.lanes.x.length; i++) if (arrows.lanes.x[i] || arrows.lanes.y[i]) n++;
      return n;
    },
    scene: () => app.sceneNow(),
    speed: (speed) => app.stage.deck.setSpeed(speed),
  });
}

const app = new App();
Object.assign(window, { wayfolk: inspection(app) });
app.open().catch((error) => app.say(`The playground could not be opened: ${error.message}.`));
