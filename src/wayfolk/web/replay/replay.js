// The page: one clock, and the panels it drives.

import { Bodies } from "./bodies.js";
import { layerSwitch } from "./layers.js";
import { clamp } from "./numbers.js";
import { Panel } from "./panel.js";

const UNITS_PER_SECOND = 4; // time units in a second at speed 1
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const SEARCH_SPEEDS = [...SPEEDS, 128, 256, 512, 1024, 2048, 4096, 8192]; // expansions are many
const PATIENCE = 75; // seconds a replay should take at the speed it opens with
const SEARCH_PATIENCE = 20; // and that of a search
const CROWD = 400; // more agents than this, and goals and trails hide more than they show; on lanes they always do

export class Replay {
  constructor(heads, timelines, layers) {
    this.asked = 0;
    /** @type {any} */
    this.deck = null; // set by the page, as its colours are
    /** @type {any} */
    this.theme = null;
    this.isLooping = false;
    this.load(heads, timelines, layers);
  }

  load(heads, timelines, layers) {
    const isOfMoves = (timeline) => timeline.isLive && !timeline.bodies;
    this.hasRefusals = timelines.some((timeline) => isOfMoves(timeline) || timeline.refusals.time.length);
    this.hasMoves = timelines.some((timeline) => isOfMoves(timeline) || timeline.places.span.some((span) => span > 0));
    this.hasLanes = this.hasMoves && timelines.every((timeline) => !timeline.nodes); // the eight directions are those of grids
    this.hasGoals = timelines.some((timeline) => timeline.isLive || timeline.tasks.time.length);
    this.panels = heads.map((head, i) => this.makePanel(head, timelines[i], layers[i]));
    this.layers = [...new Set(layers.flatMap(({ cells, marks }) => [...cells.keys(), ...marks.keys()]))];
    this.end = Math.max(...timelines.map((timeline) => timeline.end));
    this.inSteps = timelines.every((timeline) => timeline.inSteps);
    this.time = 0;
    this.isPlaying = false;
    this.follow = -1;
    this.pointed = null; // the cell under the pointer, in a panel
    this.searches = timelines.map((timeline) => timeline.search).filter(Boolean);
    this.speeds = this.searches.length ? SEARCH_SPEEDS : SPEEDS;
    this.keepsInView = true;
    const isCrowd = timelines.some((timeline) => timeline.agents > CROWD);
    const isOfLanes = heads.some((head) => head.lanes.coherence.length);
    const isCalm = !isCrowd && !isOfLanes;
    const isOfBodies = timelines.every((timeline) => timeline instanceof Bodies);
    this.show = { goals: isCalm, lines: false, trails: isCalm && !isOfBodies, heat: false, density: false, lanes: isOfLanes, service: false };
    this.hasBodies = timelines.some((timeline) => timeline instanceof Bodies);
    this.pace = isOfBodies ? 1 : UNITS_PER_SECOND; // time units in a second at speed 1: bodies move in seconds
    // the levels of an abstraction hide each other: the first is shown
    this.layers.forEach((title, i) => (this.show[layerSwitch(title)] = !this.searches.length || i === 0));
    Object.assign(this.show, { cells: true, scans: true, learned: true, route: true });
    const patience = this.searches.length ? SEARCH_PATIENCE : PATIENCE;
    this.speed = this.speeds.find((speed) => speed >= 1 && this.end <= speed * this.pace * patience) || this.speeds.at(-1);
    const hottest = Math.max(...this.panels.map((panel) => panel.painter.heat.most));
    for (const panel of this.panels) panel.painter.heat.scale = hottest;
  }

  // Draw in the colours of `theme` from now on.
  dress() {
    for (const panel of this.panels) panel.painter.setTheme(this.theme);
    this.ask();
  }

  makePanel(head, timeline, layers) {
    return new Panel(this, head, timeline, layers);
  }

  get mostAgents() {
    return Math.max(...this.panels.map((panel) => panel.timeline.agents));
  }

  seek(t) {
    this.time = clamp(t, 0, this.end);
    this.ask();
  }

  // From one whole time to the next, so that a step after a pause between two lands on one.
  step(by) {
    this.pause();
    this.seek(by > 0 ? Math.floor(this.time + 1e-9) + by : Math.ceil(this.time - 1e-9) + by);
  }

  play() {
    if (this.time >= this.end) this.time = 0;
    this.isPlaying = true;
    this.last = performance.now();
    this.ask();
  }

  pause() {
    this.isPlaying = false;
    this.ask();
  }

  followAgent(agent) {
    this.follow = agent;
    this.keepsInView = true;
    this.ask();
  }

  // Do something to a panel's view, and to those of maps of the same size.
  look(panel, change, isPan = false) {
    if (isPan) this.keepsInView = false;
    for (const other of this.panels) if (other.looksLike(panel)) change(other.view);
    this.ask();
  }

  point(panel, index) {
    this.pointed = index >= 0 ? { panel, index } : null;
    this.ask();
  }

  atEnd() {
    this.time = this.isLooping ? 0 : this.end;
    this.isPlaying = this.isLooping;
  }

  ask() {
    this.asked ||= requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.asked = 0;
    if (this.isPlaying) {
      const seconds = Math.min(Math.max(now - this.last, 0), 100) / 1000;
      this.last = now;
      this.time += seconds * this.speed * this.pace;
      if (this.time >= this.end) this.atEnd();
    }
    for (const panel of this.panels) panel.draw();
    this.deck.update();
    if (this.isPlaying) this.ask();
  }
}
