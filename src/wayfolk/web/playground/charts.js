// Charts: what a live panel measures over time, under its map.

import { NOWHERE } from "../replay/decode.js";
import { clamp } from "../replay/numbers.js";

const SAMPLES = 240;

const OF_AGENTS = [
  { key: "reached", name: "Goals reached", unit: "", of: (moment) => moment.reached },
  { key: "refused", name: "Refused moves in a step", unit: "", of: (moment, before) => moment.refused - (before?.refused ?? 0) },
  { key: "seconds", name: "Planning for a step", unit: " ms", of: (moment) => 1000 * moment.seconds },
  { key: "coherence", name: "Coherence of lanes", unit: "", of: (moment) => moment.coherence },
  { key: "moved", name: "Agents that move", unit: "", of: (moment, before) => moment.moves - (before?.moves ?? 0) },
];
const OF_BODIES = [
  { key: "arrived", name: "Goals reached", unit: "", of: (moment) => moment.arrived },
  { key: "bodies", name: "Bodies", unit: "", of: (moment) => moment.present },
  { key: "speed", name: "Mean speed", unit: " m/s", of: (moment) => moment.speed },
  { key: "seconds", name: "Computing a tenth of a second", unit: " ms", of: (moment) => 1000 * moment.seconds },
];

export class Charts {
  /** @param {HTMLElement} root @param {any} timeline @param {any} stage */
  constructor(root, timeline, stage) {
    this.timeline = timeline;
    this.stage = stage;
    this.charts = (timeline.bodies ? OF_BODIES : OF_AGENTS).map((chart) => {
      const box = document.createElement("div");
      box.className = "chart";
      const caption = document.createElement("p");
      caption.className = "caption";
      caption.textContent = chart.name;
      const value = document.createElement("output");
      const canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${chart.name} over time`);
      box.append(caption, value, canvas);
      root.append(box);
      return { ...chart, value, canvas };
    });
  }

  resize() {
    for (const { canvas } of this.charts) {
      canvas.width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
      canvas.height = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
    }
  }

  /** @param {number} t */
  draw(t) {
    const { moments, first, tick } = this.timeline;
    const last = clamp(Math.floor(t / tick + 1e-6) - first, 0, moments.length - 1);
    for (const chart of this.charts) {
      const now = chart.of(moments[last], moments[last - 1]);
      const text = `${now < 10 && !Number.isInteger(now) ? now.toFixed(2) : Math.round(now).toLocaleString("en")}${chart.unit}`;
      if (chart.value.textContent !== text) chart.value.textContent = text;
      this.plot(chart, last);
    }
  }

  // The last SAMPLES steps up to now, as an area.
  plot({ canvas, of, key }, last) {
    const { moments } = this.timeline;
    const { theme } = this.stage;
    const pen = canvas.getContext("2d");
    const { width, height } = canvas;
    const from = Math.max(1, last - SAMPLES);
    let most = 1e-9;
    for (let i = from; i <= last; i++) most = Math.max(most, of(moments[i], moments[i - 1]));
    if (key === "coherence") most = 1;
    if (key === "reached") most = Math.max(most, moments[last].present);
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = theme.edge;
    pen.fillRect(0, height - 1, width, 1);
    if (last < 1) return;
    pen.fillStyle = pen.strokeStyle = key === "refused" ? theme.alarm : theme.accent;
    pen.beginPath();
    const x = (i) => ((i - from + SAMPLES - (last - from)) / SAMPLES) * width;
    pen.moveTo(x(from), height);
    for (let i = from; i <= last; i++) pen.lineTo(x(i), height - 1 - (of(moments[i], moments[i - 1]) / most) * (height - 3));
    pen.lineTo(width, height);
    pen.globalAlpha = 0.3;
    pen.fill();
    pen.globalAlpha = 1;
  }
}

/** What the table of a comparison says about a panel. @param {any} timeline @returns {Record<string, number>} */
export function metricsOf(timeline) {
  const last = timeline.moments[timeline.moments.length - 1];
  const kept = timeline.moments.slice(1);
  const seconds = kept.reduce((sum, moment) => sum + moment.seconds, 0);
  const each = kept.length ? (1000 * seconds) / kept.length : 0;
  if (timeline.bodies) {
    return { Seconds: timeline.end, "Goals reached": last.arrived, Bodies: last.present, "Mean speed, m/s": last.speed, "Computing, ms a frame": each };
  }
  const away = last.cells.reduce((n, cell, agent) => n + (cell !== NOWHERE && cell !== last.goals[agent] ? 1 : 0), 0);
  return {
    Steps: timeline.end,
    "Goals reached": last.reached,
    "On their way": away,
    Moves: last.moves,
    "Refused moves": last.refused,
    Coherence: last.coherence,
    "Planning, ms a step": each,
  };
}

/** Whether less of a metric is better; undefined if neither is. @param {string} name */
export function isLessBetter(name) {
  if (["Refused moves", "Planning, ms a step", "On their way", "Computing, ms a frame"].includes(name)) return true;
  return ["Goals reached", "Mean speed, m/s"].includes(name) ? false : undefined;
}
