// App: the playground; it joins the link to the server, the stage, the tools and the menu.

import { Deck } from "../replay/deck.js";
import { byId } from "../replay/dom.js";
import { followWindow } from "../replay/layout.js";
import { fillComparison } from "./comparison.js";
import { headOf, readFile } from "./frames.js";
import { AHEAD, BEGIN, BODIES, FILE, STEPS } from "./messages.js";
import { Link } from "./link.js";
import { noteEdit } from "./edits.js";
import { download } from "./files.js";
import { Menu } from "./menu.js";
import { previewOf } from "./preview.js";
import { checked, decode, encode, firstScene, forWorker, isOwn, noteOwn } from "./scene.js";
import { Stage, liveOf, trackOf } from "./stage.js";
import { States, WORDS } from "./states.js";
import { Tools } from "./tools.js";

const KEEP_AFTER = 400; // milliseconds after the last change at which the address holds the scene

export class App {
  constructor() {
    this.scene = firstScene();
    this.stage = new Stage(
      (panel, step) => this.link.send({ type: "until", panel, step }),
      (panel, ahead, waits) => this.link.send({ type: "look", panel, ahead, waits }),
      () => this.states.go("ended"),
    );
    this.states = new States((state, before) => this.entered(state, before));
    this.tools = new Tools(this.stage, (edit) => this.edit(edit));
    this.heads = new Map(); // what workers said before their first frame
    this.expected = 0;
    this.about = "";
    this.shows = []; // switches that the scene turns on or off
    this.line = Promise.resolve(); // what has come is worked on in its order
    this.parts = []; // of a file that is being saved
    this.isLinked = false; // the scene came with a link, and nobody has said that it may run
    const { stage } = this;
    byId("legend").before(byId("switches").content);
    stage.deck = new Deck(stage);
    followWindow(stage);
    if (innerWidth <= 720) byId("scene").open = false;
    for (const id of ["again", "run"]) byId(id).addEventListener("click", () => this.start());
    addEventListener("hashchange", () => this.follow());
    for (const [name, event] of [["play", "played"], ["pause", "paused"]]) {
      const before = stage[name].bind(stage);
      stage[name] = () => {
        if (name === "play" && this.states.now === "asking") {
          this.start();
          return;
        }
        before();
        this.states.go(event);
      };
    }
  }

  async open() {
    const get = async (path) => (await fetch(path)).json();
    const [algorithms, maps, { scenes, tour, first }] = await Promise.all(["/api/algorithms", "/api/maps", "/api/scenes"].map(get));
    this.menu = new Menu({ algorithms, maps, scenes, tour }, this);
    this.scene = checked(first);
    await this.readLink();
    this.menu.update();
    this.link = new Link({
      opened: () => this.states.go("opened"),
      closed: (why) => {
        this.parts = [];
        this.states.go("closed");
        if (why) this.say(why);
      },
      answer: (answer) => this.next(() => this.hear(answer)),
      broken: (why) => this.say(`Something went wrong on the page: ${why}.`),
      frame: (buffer) => this.next(() => this.frame(buffer)),
    });
  }

  /** Take the scene of the address, if there is one; that of a link must not run by itself. */
  async readLink() {
    const text = location.hash.slice(1);
    const linked = await decode(text);
    if (linked) this.scene = linked;
    this.isLinked = Boolean(linked) && !isOwn(text);
    return this.isLinked;
  }

  /** The address has changed under the page: show what it holds now. */
  async follow() {
    if (!(await this.readLink())) return;
    for (const panel of this.stage.slots.keys()) this.link.send({ type: "close", panel });
    this.menu.update();
    this.states.go("linked");
  }

  /** Show the scene of a link, and ask whether it may run. */
  async ask() {
    const { scene } = this;
    this.stage.clear();
    byId("notice")?.remove();
    byId("question").querySelector("span").textContent = `${this.names()} on the map ${scene.map.name || "of the link"}.`;
    try {
      const slot = await previewOf(scene, this.names());
      if (this.states.now !== "asking" || scene !== this.scene) return;
      this.stage.slots.set(0, slot);
      this.stage.refresh(null);
      this.stage.pause();
    } catch (error) {
      this.say(`The scene of this link cannot be shown: ${error.message}.`);
    }
  }

  /** Do something after all that came before. @param {() => any} act */
  next(act) {
    this.line = this.line.then(act).catch((error) => {
      this.say(`Something went wrong on the page: ${error.message}.`);
      reportError(error);
    });
  }

  entered(state, before) {
    document.body.dataset.state = state;
    if (state in WORDS) this.say(WORDS[state]);
    if (state !== "stopped") byId("alarm").hidden = true;
    byId("question").hidden = state !== "asking";
    if (state === "asking") this.ask();
    if (state === "ready" && this.isLinked) this.states.go("linked");
    else if (state === "ready") this.start();
    if (state === "running" && before === "loading") this.say(this.about || this.sentence());
  }

  say(text) {
    byId("said").textContent = text;
  }

  names() {
    return this.scene.algorithms.map(({ name }) => this.menu.byId.get(name)?.label ?? name).join(" beside ");
  }

  sentence() {
    return `${this.names()}. Drag agents and goals, paint walls, or press ? for the keys.`;
  }

  /** Begin the scene. @param {string} [about]  what to say about it @param {string[]} [shows]  switches to turn on, or off with a "!" */
  start(about = "", shows = []) {
    if (!this.link?.isOpen) return;
    this.isLinked = false;
    this.about = about;
    this.shows = shows;
    this.tools.forget();
    this.isTouched = false;
    this.walls = this.terrain = null;
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
    for (const panel of only === undefined ? this.stage.slots.keys() : [only]) {
      this.link.send({ type: "edit", panel, edit });
      const slot = this.slot(panel);
      if (slot) slot.unanswered = (slot.unanswered ?? 0) + 1;
    }
    for (const { timeline } of this.stage.slots.values()) timeline.isOver = false;
    for (const slot of this.stage.slots.values()) slot.asked = slot.timeline.isLive ? slot.timeline.lastStep : 0;
    this.stage.measure();
    if (this.stage.isLive && this.states.go("changed")) this.stage.play();
    noteEdit(this, edit);
    this.keep();
    this.stage.ask();
  }

  /** The scene with the agents where they are, if they were touched. */
  sceneNow() {
    const timeline = this.stage.panels[0]?.timeline;
    if (!this.isTouched || !timeline?.isLive) return this.scene;
    return { ...this.scene, journeys: timeline.journeys, errand: this.scene.errand === "tasks" ? "one_shot" : this.scene.errand };
  }

  /** Let the address hold the scene, so that it is there again after the page is loaded anew. */
  keep() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(async () => {
      const text = await encode(this.scene);
      history.replaceState(null, "", `#${text}`);
      noteOwn(text);
    }, KEEP_AFTER);
  }

  /** @param {import("./messages.js").ExportFile["format"]} format */
  export(format) {
    this.say("Making the file.");
    this.link.send({ type: "export", panel: 0, format });
  }

  /** What a worker or the server says. @param {import("./messages.js").Answer} answer */
  async hear(answer) {
    const { panel } = answer;
    const slot = this.slot(panel);
    if (slot?.unanswered && (answer.type === "edited" || answer.type === "refused")) slot.unanswered--;
    if (answer.type === "begin") this.heads.set(panel, answer);
    else if (answer.type === "track") this.show(panel, await trackOf(answer.head));
    else if (answer.type === "thinking") {
      if (this.states.now !== "loading") this.say(answer.seconds ? `Planning for ${answer.seconds.toFixed(1)} s.` : "Working.");
    } else if (answer.type === "waits" && slot) {
      slot.timeline.addWaits(answer);
      this.stage.ask();
    } else if (answer.type === "overlay" && slot) {
      await this.stage.showOverlay(slot, answer);
    } else if (answer.type === "planned") this.say(`Planned ${answer.steps} steps in ${answer.seconds} s.`);
    else if (answer.type === "refused") {
      this.say(answer.why);
      this.stage.marks.clear();
      this.stage.ask();
      if (this.states.now === "loading" && !slot) this.stopped(answer.why);
    } else if (answer.type === "failed" || answer.type === "stopped") this.stopped(answer.why);
    else if (answer.type === "over" && slot && !slot.unanswered) {
      // what was over before a change that is on its way may go on after it
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
      const { name, bytes, left } = readFile(buffer);
      this.parts.push(bytes);
      if (left) return;
      download(name, ...this.parts);
      this.parts = [];
      this.say(`${name} is saved.`);
    } else if ((kind === BEGIN || kind === BODIES) && this.heads.has(panel)) {
      const head = this.heads.get(panel);
      this.heads.delete(panel);
      this.show(panel, await liveOf(head, buffer));
    } else if (kind === STEPS || kind === BODIES) {
      const slot = this.slot(panel);
      if (!slot) return;
      slot.timeline.append(buffer);
      this.stage.grown();
      this.tellTable();
    } else if (kind === AHEAD) this.slot(panel)?.timeline.addAhead(buffer);
  }

  /** What is shown in a panel, or will be; what came while something was held is newer. @param {number} panel */
  slot(panel) {
    return this.stage.held.get(panel) ?? this.stage.slots.get(panel) ?? this.waiting.get(panel);
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
    for (const name of this.shows) this.stage.show[name.replace("!", "")] = !name.startsWith("!");
    this.states.go("begun");
    const { search } = this.stage.panels[0].timeline;
    if (search) {
      /** @type {(index: number) => [number, number]} */
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
    fillComparison(byId("table"), slots);
  }
}
