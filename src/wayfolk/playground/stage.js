// Stage: the panels of the playground and their clock. It is the replay's, with an end that moves: workers are asked for steps
// a little ahead of the time that is shown, and for no more.

import { Panel, Replay, Search, Timeline, Bodies, addPair, arrange, clamp, inflate, number, openLayers, setParts, unpack, clockText } from "./engine.js";
import { Charts } from "./charts.js";
import { LiveTimeline } from "./live.js";

const AHEAD = 0.2; // seconds of steps to be ahead
const LEAST_AHEAD = 2;

/** @typedef {{ head: any, timeline: any, layers: any, asked: number }} Slot */

/** A panel's data from the worker, as the replay has them. @param {any} head */
export async function trackOf(head) {
  const buffer = await inflate(head.body);
  const timeline = head.bodies ? new Bodies(head, buffer) : new Timeline(head, unpack(head, buffer));
  timeline.diagonals = head.diagonals;
  timeline.search = head.search ? new Search(head.search, await inflate(head.search.body), timeline) : null;
  return { head, timeline, layers: await openLayers(head, timeline), asked: 0 };
}

/** The same for a world that goes step by step. @param {any} head @param {ArrayBuffer} buffer */
export async function liveOf(head, buffer) {
  const timeline = new LiveTimeline(head, buffer);
  const full = { ...head, facts: [], lanes: { alpha: 0.5, coherence: [] } };
  return { head: full, timeline, layers: await openLayers(full, timeline), asked: timeline.end };
}

export class Stage extends Replay {
  /**
   * @param {(panel: number, step: number) => void} want  asks the worker of a panel for steps
   * @param {() => void} ended  the end is shown, and nothing more will come
   */
  constructor(want, ended) {
    super([], [], []);
    this.want = want;
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
    return Math.max(0, ...[...this.slots.values()].map(({ timeline }) => (timeline.isLive ? timeline.first : 0)));
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
      this.askFor(there);
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
    if (this.isPlaying && this.isLive) {
      this.askFor(Math.ceil(this.time + Math.max(LEAST_AHEAD, AHEAD * this.speed * this.pace)));
    }
    super.frame(now);
  }

  /** Ask all workers for the steps up to `step`, once. @param {number} step */
  askFor(step) {
    for (const [panel, slot] of this.slots) {
      if (!slot.timeline.isLive || slot.timeline.isOver || slot.asked >= step) continue;
      slot.asked = step;
      this.want(panel, step);
    }
  }
}

function kindOf(timeline) {
  return timeline.isLive ? "agents" : timeline.search ? "search" : "crowd";
}

// What tools draw over a panel: cells that are being painted, what is being dragged, the cursor.
function drawTools(panel) {
  const { replay: stage, view, painter } = panel;
  const pen = painter.context;
  const { theme } = stage;
  const box = (index) => {
    const [x, y] = [index % view.width, Math.floor(index / view.width)];
    return [view.screenX(x), view.screenY(y), view.scale, view.scale];
  };
  for (const [index, isWall] of stage.marks) {
    pen.globalAlpha = 0.8;
    pen.fillStyle = isWall ? theme["wall-new"] : theme.floor;
    pen.fillRect(...box(index));
  }
  pen.globalAlpha = 1;
  const ring = (index, colour, dash) => {
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(2 * devicePixelRatio, 0.1 * view.scale);
    pen.setLineDash(dash);
    pen.strokeRect(...box(index));
    pen.setLineDash([]);
  };
  if (stage.ghost) ring(stage.ghost.index, theme.accent, [4 * devicePixelRatio, 3 * devicePixelRatio]);
  if (stage.ghost && stage.ghost.from !== undefined) {
    const middle = (index) => [view.screenX((index % view.width) + 0.5), view.screenY(Math.floor(index / view.width) + 0.5)];
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 1.5 * devicePixelRatio;
    pen.beginPath();
    pen.moveTo(...middle(stage.ghost.from));
    pen.lineTo(...middle(stage.ghost.index));
    pen.stroke();
  }
  if (stage.cursor !== null && stage.cursor < view.width * view.height) ring(stage.cursor, theme.ink, []);
}

// A search or a crowd.
class StillPanel extends Panel {
  constructor(stage, head, timeline, layers) {
    super(stage, head, timeline, layers);
  }

  draw() {
    super.draw();
    drawTools(this);
  }
}

// Agents that move while we look.
class LivePanel extends Panel {
  constructor(stage, head, timeline, layers) {
    super(stage, head, timeline, layers);
    for (const strip of this.root.querySelectorAll(".strip:not(.curve) canvas, .strip:not(.curve) .caption")) strip.hidden = true;
    this.strip.canvas.hidden = true;
    const box = document.createElement("div");
    box.className = "charts";
    this.root.querySelector(".side").append(box);
    this.charts = new Charts(box, timeline, stage);
  }

  makeCounters() {
    const list = this.root.querySelector(".counters");
    this.counters = {};
    for (const [key, label] of [["time", "Step"], ["arrived", "Goals reached"], ["refused", "Collisions"]]) {
      this.counters[key] = addPair(list, label, "");
    }
  }

  tell(t, follow) {
    const { timeline, counters } = this;
    const moment = timeline.momentAt(t);
    setParts(counters.time, clockText(t, true));
    const isPatrol = moment.passed > 0;
    setParts(counters.arrived, number.format(moment.reached), isPatrol ? "" : ` / ${number.format(moment.present)}`);
    setParts(counters.refused, number.format(moment.refused));
    counters.refused.parentNode.classList.toggle("alarm", moment.refused > 0);
    this.tellFollowed(t, follow);
  }

  draw() {
    super.draw();
    drawTools(this);
    this.charts.draw(this.time);
  }

  resize(highest) {
    super.resize(highest);
    this.charts.resize();
  }
}
