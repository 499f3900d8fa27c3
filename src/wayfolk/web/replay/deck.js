// Deck: the controls at the foot of the page, and the keys.

import { drawLegend } from "./arrows.js";
import { allOf, blur, byId, setParts } from "./dom.js";
import { layerSwitch } from "./layers.js";
import { clamp } from "./numbers.js";
import { clockText } from "./words.js";

export class Deck {
  constructor(replay) {
    this.replay = replay;
    byId("scrub").addEventListener("input", (event) => replay.seek(Number(event.target.value)));
    byId("speed").addEventListener("change", (event) => this.setSpeed(Number(event.target.value)));
    for (const button of allOf("[data-show]")) {
      button.addEventListener("click", () => this.toggle(button.dataset.show));
    }
    const clicks = {
      play: () => (replay.isPlaying ? replay.pause() : replay.play()),
      restart: () => replay.seek(0),
      back: () => replay.step(-1),
      forward: () => replay.step(1),
      loop: () => this.toggleLoop(),
      help: () => byId("keys").showModal(),
      unfollow: () => replay.followAgent(-1),
    };
    for (const [id, click] of Object.entries(clicks)) byId(id).addEventListener("click", click);
    byId("find").addEventListener("submit", (event) => this.find(event));
    byId("agent").addEventListener("input", () => byId("agent").classList.remove("unknown"));
    // after a click with the mouse, space is for playing again
    document.addEventListener("click", (event) => {
      if (event.detail && event.target instanceof Element && event.target.closest("button, select")) blur();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    this.fit();
    byId("deck").hidden = false;
  }

  // Offer what is useful for what the replay shows.
  fit() {
    const { replay } = this;
    const { searches, hasGoals } = replay;
    byId("scrub").max = replay.end;
    byId("speed").replaceChildren(...replay.speeds.map((speed) => new Option(`${speed}\u00d7`, speed)));
    byId("speed").value = replay.speed;
    for (const button of allOf('[data-show^="layer "]')) button.remove();
    replay.layers.forEach((title, i) => this.addLayerSwitch(title, i + 1));
    this.switches = allOf("[data-show]");
    const isUseful = { heat: replay.hasRefusals, lanes: replay.hasLanes, goals: hasGoals, lines: hasGoals };
    isUseful.service = replay.hasBodies;
    isUseful.density = !searches.length;
    if (searches.length) Object.assign(isUseful, { lanes: false, lines: false, goals: false, trails: replay.hasMoves });
    isUseful.cells = isUseful.route = searches.length > 0;
    isUseful.scans = searches.some((search) => search.hasScans);
    isUseful.learned = searches.some((search) => search.hasLearned);
    byId("find").hidden = searches.length > 0;
    for (const term of allOf("#keys [data-of]")) {
      term.hidden = (term.dataset.of === "search") !== searches.length > 0;
    }
    Object.assign(isUseful, replay.useful);
    for (const button of this.switches) button.hidden = !(isUseful[button.dataset.show] ?? true);
  }

  setSpeed(speed) {
    this.replay.speed = speed;
    this.replay.ask();
  }

  toggle(what) {
    this.replay.show[what] = !this.replay.show[what];
    this.replay.ask();
  }

  toggleLoop() {
    this.replay.isLooping = !this.replay.isLooping;
    this.replay.ask();
  }

  find(event) {
    event.preventDefault();
    const text = byId("agent").value.trim();
    const agent = Number(text);
    const isKnown = /^\d+$/.test(text) && agent < this.replay.mostAgents;
    byId("agent").classList.toggle("unknown", Boolean(text) && !isKnown);
    if (isKnown || !text) this.replay.followAgent(isKnown ? agent : -1);
    if (isKnown) byId("agent").blur();
  }

  update() {
    const { replay } = this;
    const t = clockText(replay.time, replay.inSteps);
    const scrub = byId("scrub");
    if (Number(scrub.max) !== replay.end) scrub.max = replay.end;
    scrub.value = replay.time;
    scrub.style.setProperty("--done", `${replay.end ? (100 * replay.time) / replay.end : 100}%`);
    const end = clockText(replay.end, replay.inSteps);
    scrub.setAttribute("aria-valuetext", `${t} of ${end}`);
    setParts(byId("clock"), t, ` / ${end}`);
    byId("speed").value = replay.speed;
    byId("play").setAttribute("aria-label", replay.isPlaying ? "Pause" : "Play");
    document.body.classList.toggle("playing", replay.isPlaying);
    byId("loop").setAttribute("aria-pressed", replay.isLooping);
    for (const button of this.switches) button.setAttribute("aria-pressed", replay.show[button.dataset.show]);
    const legend = byId("legend");
    if (legend.hidden === replay.show.lanes) {
      legend.hidden = !replay.show.lanes;
      if (replay.show.lanes) drawLegend(legend, replay.theme);
    }
    byId("unfollow").hidden = replay.follow < 0;
    if (document.activeElement !== byId("agent")) byId("agent").value = replay.follow < 0 ? "" : replay.follow;
  }

  key(event) {
    const { replay } = this;
    const isOn = (selector) => event.target instanceof Element && event.target.matches(selector);
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      blur();
      replay.followAgent(-1);
      return;
    }
    if (event.defaultPrevented || isOn("input:not(#scrub), select, textarea, summary") || (event.key === " " && isOn("button"))) return;
    const first = replay.panels[0];
    const zoom = (by) => replay.look(first, (view) => view.zoomBy(by, view.wide / 2, view.high / 2));
    const pan = (dx, dy) => replay.look(first, (view) => view.panBy((dx * view.wide) / 8, (dy * view.high) / 8), true);
    const { speeds } = replay;
    const faster = (by) => this.setSpeed(speeds[clamp(speeds.indexOf(replay.speed) + by, 0, speeds.length - 1)]);
    const actions = {
      " ": () => (replay.isPlaying ? replay.pause() : replay.play()),
      arrowleft: () => replay.step(event.shiftKey ? -10 : -1),
      arrowright: () => replay.step(event.shiftKey ? 10 : 1),
      home: () => replay.seek(0),
      end: () => replay.seek(replay.end),
      "[": () => faster(-1),
      "]": () => faster(1),
      g: () => this.toggle("goals"),
      l: () => this.toggle("lines"),
      t: () => this.toggle("trails"),
      h: () => this.toggle("heat"),
      v: () => this.toggle("lanes"),
      c: () => this.toggle(replay.hasBodies ? "service" : "cells"),
      x: () => this.toggle("scans"),
      e: () => this.toggle("learned"),
      p: () => this.toggle("route"),
      ".": () => this.toggle("density"),
      o: () => this.toggleLoop(),
      f: () => byId("agent").select(),
      "+": () => zoom(1.4),
      "=": () => zoom(1.4),
      "-": () => zoom(1 / 1.4),
      0: () => replay.look(first, (view) => view.reset()),
      w: () => pan(0, 1),
      a: () => pan(1, 0),
      s: () => pan(0, -1),
      d: () => pan(-1, 0),
      "?": () => byId("keys").showModal(),
    };
    replay.layers.slice(0, 9).forEach((title, i) => (actions[i + 1] = () => this.toggle(layerSwitch(title))));
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  // The button of a layer; the first nine have their number as a key.
  addLayerSwitch(title, place) {
    const button = document.createElement("button");
    button.dataset.show = layerSwitch(title);
    button.textContent = title;
    button.title = place < 10 ? `${title} (${place})` : title;
    button.addEventListener("click", () => this.toggle(button.dataset.show));
    byId("legend").before(button);
  }
}
