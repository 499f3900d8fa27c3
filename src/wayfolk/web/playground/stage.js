// Stage: the panels of the playground and their clock. It is the replay's, with an end that moves: workers are asked for steps
// a little ahead of the time that is shown, and for no more.

import { inflate, unpack } from "../replay/decode.js";
import { layerSwitch, openLayers, unpackLayers } from "../replay/layers.js";
import { arrange } from "../replay/layout.js";
import { openNodes } from "../replay/nodes.js";
import { clamp } from "../replay/numbers.js";
import { Replay } from "../replay/replay.js";
import { Search } from "../replay/search.js";
import { openTerrain } from "../replay/terrain.js";
import { Timeline } from "../replay/timeline.js";
import { LiveTimeline } from "./live.js";
import { LivePanel, StillPanel } from "./panels.js";
import { LiveBodies } from "./walkers.js";

const AHEAD = 0.2; // seconds of steps to be ahead
const LEAST_AHEAD = 2;

/** @typedef {{ head: any, timeline: any, layers: any, asked: number, looked?: string, shown?: string,
 *   unanswered?: number }} Slot  `unanswered`: changes that the worker has not answered yet */

/** A panel's data from the worker, as the replay has them. @param {any} head */
export async function trackOf(head) {
  const buffer = await inflate(head.body);
  const timeline = new Timeline(head, unpack(head, buffer));
  timeline.diagonals = head.diagonals;
  timeline.terrain = await openTerrain(head);
  timeline.search = head.search ? new Search(head.search, await inflate(head.search.body), timeline) : null;
  return { head, timeline, layers: await openLayers(head, timeline), asked: 0 };
}

/** The same for a world that goes step by step. @param {any} head @param {ArrayBuffer} buffer  its first frame */
export async function liveOf(head, buffer) {
  const timeline = head.bodies ? new LiveBodies(head) : new LiveTimeline(head, buffer, await openNodes(head));
  if (head.bodies) timeline.append(buffer);
  timeline.terrain = await openTerrain(head);
  const full = { ...head, agents: timeline.agents, facts: [], lanes: { alpha: 0.5, coherence: [] } };
  return { head: full, timeline, layers: { cells: new Map(), marks: new Map() }, asked: timeline.lastStep };
}

export class Stage extends Replay {
  /**
   * @param {(panel: number, step: number) => void} want  asks the worker of a panel for steps
   * @param {(panel: number, ahead: boolean, waits: boolean) => void} look  tells the worker of a panel what else is shown
   * @param {() => void} ended  the end is shown, and nothing more will come
   */
  constructor(want, look, ended) {
    super([], [], []);
    this.want = want;
    this.tellLook = look;
    this.ended = ended;
    /** @type {Map<number, Slot>} */
    this.slots = new Map();
    this.end = 0;
    this.isHeld = false;
    this.held = new Map(); // what came while something was held
    this.target = null; // the step to stop at, after a step beyond the end
    this.marks = new Map(); // cells that were painted and are not known to the worker yet
    this.cursor = null;
    this.ghost = null;
  }

  load(heads, timelines, layers) {
    super.load(heads, timelines, layers);
    Object.assign(this.show, { ahead: false, waits: false, flow: true });
  }

  /** Which switches are useful for what is shown. */
  get useful() {
    const timelines = [...(this.slots?.values() ?? [])].map(({ timeline }) => timeline);
    const isOfAgents = timelines.some((timeline) => timeline.isLive && !timeline.bodies);
    const isOfNodes = timelines.some((timeline) => timeline.nodes);
    return { ahead: isOfAgents && !isOfNodes, waits: isOfAgents && !isOfNodes, flow: timelines.some((timeline) => timeline.moves), goals: this.hasAims, lines: this.hasAims };
  }

  get hasAims() {
    const aims = (timeline) => (timeline.bodies ? timeline.momentAt(timeline.end).goals.length > 0 : !timeline.search);
    return [...this.slots.values()].some(({ timeline }) => aims(timeline));
  }

  /** What an algorithm shows of itself has come: areas, messages, one-way maps. @param {Slot} slot @param {any} told */
  async showOverlay(slot, { layers, moves }) {
    const { timeline } = slot;
    if (moves) {
      timeline.moves = Uint8Array.from(atob(moves), (letter) => letter.charCodeAt(0));
      timeline.movesVersion++;
    }
    if (layers) {
      const fresh = unpackLayers(layers, await inflate(layers.body), timeline);
      const areas = JSON.stringify(layers.heads.filter((head) => head.is === "cells"));
      if (slot.shown === areas) fresh.cells = slot.layers.cells;
      slot.shown = areas;
      slot.layers = fresh;
    }
    const panel = this.panels.find((each) => each.timeline === timeline);
    if (!panel) return;
    if (layers) panel.setLayers(slot.layers);
    const titles = this.panels.flatMap(({ layers: { cells, marks } }) => [...cells.keys(), ...marks.keys()]);
    const before = [this.layers.join(), this.useful.flow].join();
    this.layers = [...new Set(titles)];
    for (const title of this.layers) this.show[layerSwitch(title)] ??= true;
    if (before !== [this.layers.join(), this.fitted].join()) {
      this.fitted = this.useful.flow;
      this.deck.fit();
      arrange(this);
    }
    this.ask();
  }

  /** Show `slot` in `panel`, or later if something is held. @param {number} panel @param {Slot} slot */
  put(panel, slot) {
    if (this.isHeld) {
      this.held.set(panel, slot);
      return;
    }
    const before = this.slots.get(panel);
    this.slots.set(panel, slot);
    this.refresh(before);
  }

  /** Nothing is held any more. */
  release() {
    this.isHeld = false;
    for (const [panel, slot] of this.held) this.put(panel, slot);
    this.held.clear();
  }

  clear() {
    this.slots.clear();
    this.held.clear();
    this.isHeld = false;
    this.refresh(null);
  }

  /** Make the panels anew; time, view and switches stay as they were if the same is shown again. @param {Slot | null | undefined} before */
  refresh(before) {
    const { time, end, isPlaying, speed, show, follow } = this;
    const views = this.panels.map((panel) => panel.view);
    const shown = this.shownKind;
    const slots = [...this.slots.entries()].sort(([a], [b]) => a - b).map(([, slot]) => slot);
    for (const panel of this.panels) panel.root.remove();
    this.marks.clear();
    this.load(slots.map((slot) => slot.head), slots.map((slot) => slot.timeline), slots.map((slot) => slot.layers));
    this.shownKind = slots.length ? kindOf(slots[0].timeline) : "";
    const isSame = shown === this.shownKind && Boolean(before || views.length);
    if (isSame && show) {
      Object.assign(this.show, Object.fromEntries(Object.entries(show).filter(([name]) => name in this.show)));
      this.speed = speed;
    }
    if (this.isLive && !isSame) this.speed = 1;
    this.measure();
    this.panels.forEach((panel, i) => {
      const view = views[i];
      if (view && view.width === panel.view.width && view.height === panel.view.height) {
        Object.assign(panel.view, { zoom: view.zoom, x: view.x, y: view.y });
      }
    });
    this.time = this.isLive ? Math.max(this.start, this.end) : isSame && before ? (time >= end ? this.end : Math.min(time, this.end)) : 0;
    this.isPlaying = before && isSame ? isPlaying : slots.length > 0;
    this.follow = isSame ? follow : -1;
    this.last = performance.now();
    if (this.deck) {
      this.deck.fit();
      this.dress();
      arrange(this);
    }
  }

  /** What the theme of the page says about colours. */
  dress() {
    if (!this.theme) return;
    for (const panel of this.panels) panel.painter.setTheme(this.theme);
    this.ask();
  }

  makePanel(head, timeline, layers) {
    return timeline.isLive ? new LivePanel(this, head, timeline, layers) : new StillPanel(this, head, timeline, layers);
  }

  get isLive() {
    return [...this.slots.values()].some(({ timeline }) => timeline.isLive);
  }

  /** The earliest time that can be shown. */
  get start() {
    return Math.max(0, ...[...this.slots.values()].map(({ timeline }) => (timeline.isLive ? timeline.begin : 0)));
  }

  get isOver() {
    return [...this.slots.values()].every(({ timeline }) => !timeline.isLive || timeline.isOver);
  }

  /** The end: that of the slowest of those that go on. */
  measure() {
    const timelines = [...this.slots.values()].map(({ timeline }) => timeline);
    const going = timelines.filter((timeline) => timeline.isLive && !timeline.isOver);
    const ends = (going.length ? going : timelines).map((timeline) => timeline.end);
    this.end = ends.length ? (going.length ? Math.min(...ends) : Math.max(...ends)) : 0;
  }

  /** Steps have come, or a worker has said that it is done. */
  grown() {
    this.measure();
    this.marks.clear();
    if (this.target !== null && this.end >= Math.min(this.target, this.end)) {
      this.seek(Math.min(this.target, this.end));
      if (this.end >= this.target) this.target = null;
    }
    this.ask();
  }

  seek(t) {
    this.time = clamp(t, Math.min(this.start, this.end), this.end);
    this.ask();
  }

  step(by) {
    const there = Math.floor(this.time + 1e-9) + by;
    this.pause();
    if (by > 0 && this.isLive && !this.isOver && there > this.end) {
      this.target = there;
      this.askUntil(there);
    }
    super.step(by);
  }

  play() {
    if (!this.isLive || this.isOver) {
      if (this.time >= this.end) this.time = this.isLive ? this.start : 0;
    }
    this.target = null;
    this.isPlaying = true;
    this.last = performance.now();
    this.ask();
  }

  atEnd() {
    this.time = this.end;
    if (this.isLive && !this.isOver) return; // more is on its way
    if (this.isLooping) this.time = this.start;
    else {
      this.isPlaying = false;
      this.ended();
    }
  }

  frame(now) {
    if (this.isPlaying && this.isLive) this.askUntil(this.time + AHEAD * this.speed * this.pace, LEAST_AHEAD);
    this.tellLooks();
    super.frame(now);
  }

  // Workers find out what is reserved and who waits only while that is shown.
  tellLooks() {
    const { ahead, waits } = this.show;
    for (const [panel, slot] of this.slots) {
      if (!slot.timeline.isLive || slot.timeline.bodies || slot.looked === `${ahead} ${waits}`) continue;
      if (slot.looked !== undefined || ahead || waits) this.tellLook(panel, ahead, waits);
      slot.looked = `${ahead} ${waits}`;
    }
  }

  /** Ask all workers for the steps up to the time `t`, and for `more` steps than are shown, once. @param {number} t */
  askUntil(t, more = 0) {
    for (const [panel, slot] of this.slots) {
      const step = Math.ceil(Math.max(t / slot.timeline.tick, this.time / slot.timeline.tick + more) - 1e-6);
      if (!slot.timeline.isLive || slot.timeline.isOver || slot.asked >= step) continue;
      slot.asked = step;
      this.want(panel, step);
    }
  }
}

function kindOf(timeline) {
  if (timeline.search) return "search";
  return timeline.bodies ? "crowd" : "agents";
}
