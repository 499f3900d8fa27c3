// Curve: the coherence of a panel's lanes over time, with those of the other panels faintly behind it.

import { setParts } from "./dom.js";
import { clamp } from "./numbers.js";
import { goesThere } from "./strip.js";

const SETTLED = 0.05; // the part of a replay in which so few have gone anywhere that its coherence may leave the plot
const GRAIN = 0.05; // the plot begins and ends at multiples of this

export class Curve {
  // `values` are evenly spread over the panel's own time, the last at its end.
  constructor(root, timeline, replay, values) {
    this.root = root;
    this.timeline = timeline;
    this.replay = replay;
    this.values = values;
    this.canvas = root.querySelector("canvas");
    root.hidden = !values.length;
    goesThere(this.canvas, replay);
  }

  // The value at `t`, or the last before it; nothing before the first.
  at(t) {
    const sample = Math.floor((Math.min(t, this.timeline.end) / this.timeline.end) * this.values.length + 1e-9);
    return sample > 0 ? this.values[sample - 1] : null;
  }

  resize() {
    if (this.root.hidden) return;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * devicePixelRatio));
    this.canvas.height = Math.round(this.canvas.clientHeight * devicePixelRatio);
    const settled = this.replay.panels.flatMap(({ curve }) => curve.values.slice(Math.ceil(SETTLED * curve.values.length)));
    this.low = GRAIN * Math.floor(Math.min(...settled) / GRAIN + 1e-9);
    this.high = Math.max(GRAIN * Math.ceil(Math.max(...settled) / GRAIN - 1e-9), this.low + GRAIN);
    const scale = [this.low, this.high].map((value) => value.toFixed(2)).join(" to ");
    this.root.querySelector(".caption").textContent = `Coherence of lanes, ${scale}`;
  }

  draw(t, end) {
    if (this.root.hidden) return;
    const { canvas, replay, timeline } = this;
    const { theme } = replay;
    const pen = canvas.getContext("2d");
    const { width, height } = canvas;
    const ratio = devicePixelRatio;
    const gap = Math.max(1, Math.round(ratio));
    const value = this.at(t);
    setParts(this.root.querySelector("output"), value === null ? "\u2013" : value.toFixed(3));
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = theme.edge;
    pen.fillRect(0, height - gap, width, gap);
    pen.fillRect(0, 0, width, gap);
    pen.lineJoin = "round";
    const stroke = (curve, colour, alpha, thick) => {
      pen.globalAlpha = alpha;
      pen.strokeStyle = colour;
      pen.lineWidth = thick * ratio;
      pen.beginPath();
      curve.values.forEach((each, i) => {
        const x = (((i + 1) / curve.values.length) * curve.timeline.end * width) / end;
        pen[i ? "lineTo" : "moveTo"](x, this.screenY(each, height, gap));
      });
      pen.stroke();
    };
    for (const { curve } of replay.panels) if (curve !== this) stroke(curve, theme.quiet, 0.35, 1);
    stroke(this, theme.accent, 0.4, 1.5);
    const now = clamp(Math.round((t / end) * width), 0, width - gap);
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, now, height);
    pen.clip();
    stroke(this, theme.accent, 1, 2);
    pen.restore();
    pen.globalAlpha = 1;
    pen.fillStyle = theme.ink;
    pen.fillRect(now, 0, gap, height);
    if (value === null) return;
    pen.fillStyle = theme.accent;
    pen.beginPath();
    pen.arc((Math.min(t, timeline.end) / end) * width, this.screenY(value, height, gap), 3 * ratio, 0, 7);
    pen.fill();
  }

  screenY(value, height, gap) {
    const part = clamp((value - this.low) / (this.high - this.low), 0, 1);
    return height - 2 * gap - part * (height - 4 * gap);
  }
}
