// Strip: refused moves over time as small bars; all panels share one scale.

import { clamp } from "./numbers.js";
import { capital, refusalWord } from "./words.js";

// A picture of something over time: a click goes there.
export function goesThere(canvas, replay) {
  const go = (event) => {
    const box = canvas.getBoundingClientRect();
    replay.seek(((event.clientX - box.left) / box.width) * replay.end);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    go(event);
  });
  canvas.addEventListener("pointermove", (event) => event.buttons && go(event));
}

// Refused moves over time as small bars; all panels share one scale.
export class Strip {
  constructor(root, timeline, replay) {
    this.timeline = timeline;
    this.replay = replay;
    this.canvas = root.querySelector("canvas");
    root.querySelector(".caption").textContent = `${capital(refusalWord(timeline))} over time`;
    root.querySelector(".caption").hidden = this.canvas.hidden = !replay.hasRefusals;
    goesThere(this.canvas, replay);
  }

  resize() {
    if (this.canvas.hidden) return;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * devicePixelRatio));
    this.canvas.height = Math.round(this.canvas.clientHeight * devicePixelRatio);
    const bars = Math.max(1, Math.floor(this.canvas.clientWidth / 4));
    this.bars = new Uint32Array(bars);
    for (const time of this.timeline.refusals.time) {
      this.bars[Math.min(Math.floor((time / this.replay.end) * bars), bars - 1)]++;
    }
    this.highest = this.bars.reduce((a, b) => Math.max(a, b), 0);
  }

  draw(t, end) {
    if (this.canvas.hidden) return;
    const pen = this.canvas.getContext("2d");
    const { width, height } = this.canvas;
    const { theme } = this.replay;
    const tallest = Math.max(1, ...this.replay.panels.map((panel) => panel.strip.highest || 0));
    const step = width / this.bars.length;
    const gap = Math.max(1, Math.round(devicePixelRatio));
    const base = height - gap;
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = theme.edge;
    pen.fillRect(0, base, width, gap);
    pen.fillStyle = theme.alarm;
    for (let i = 0; i < this.bars.length; i++) {
      if (!this.bars[i]) continue;
      const tall = Math.max(gap, Math.round((this.bars[i] / tallest) * (base - 1)));
      pen.globalAlpha = (i / this.bars.length) * end <= t ? 0.85 : 0.28;
      pen.fillRect(Math.round(i * step), base - tall, Math.max(1, Math.round(step) - gap), tall);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = theme.ink;
    pen.fillRect(clamp(Math.round((t / end) * width), 0, width - gap), 0, gap, height);
  }
}
