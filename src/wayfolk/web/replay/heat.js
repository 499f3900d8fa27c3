// HeatMap: where moves were refused, kept for one time and moved to another by counting the refusals between.

import { clamp } from "./numbers.js";

const HEAT_SIDE = 1024; // cells of the heat map along its longer side, at most

export class HeatMap {
  constructor(timeline, view) {
    const step = Math.ceil(Math.max(timeline.width, timeline.height) / HEAT_SIDE);
    const wide = Math.ceil(timeline.width / step);
    const high = Math.ceil(timeline.height / step);
    const spot = (cell) => {
      const x = clamp(timeline.x(cell), 0, timeline.width - 1);
      const y = clamp(timeline.y(cell), 0, timeline.height - 1);
      return Math.floor(y / step) * wide + Math.floor(x / step);
    };
    const totals = new Uint32Array(wide * high);
    let most = 0;
    if (!timeline.isLive) for (const cell of timeline.refusals.cell) most = Math.max(most, ++totals[spot(cell)]);
    this.view = view;
    this.timeline = timeline;
    this.step = step;
    this.wide = wide;
    this.high = high;
    this.spot = spot;
    this.counts = new Uint32Array(wide * high);
    this.most = most;
    this.scale = most; // refused moves in a cell that is as hot as can be
    this.done = 0;
    this.dropped = 0;
    this.version = -1;
    this.canvas = new OffscreenCanvas(wide, high);
    this.brush = this.canvas.getContext("2d");
    this.pixels = this.brush.createImageData(wide, high);
  }

  draw(pen, t, colours) {
    const { view } = this;
    const dropped = this.timeline.droppedRefusals || 0; // the oldest of a live timeline
    this.done = Math.max(0, this.done - dropped + this.dropped);
    this.dropped = dropped;
    const until = this.timeline.refusalsUntil(t);
    const { cell } = this.timeline.refusals;
    for (; this.done < until; this.done++) this.scale = Math.max(this.scale, ++this.counts[this.spot(cell[this.done])]);
    for (; this.done > until; this.done--) this.counts[this.spot(cell[this.done - 1])]--;
    if (!this.scale) return;
    if (this.version !== this.done) {
      this.version = this.done;
      const data = this.pixels.data;
      const full = Math.log1p(this.scale);
      for (let i = 0; i < this.counts.length; i++) {
        const colour = this.counts[i] ? 4 * (40 + Math.round((215 * Math.log1p(this.counts[i])) / full)) : 0;
        for (let part = 0; part < 4; part++) data[4 * i + part] = colours[colour + part];
      }
      this.brush.putImageData(this.pixels, 0, 0);
    }
    const size = view.scale * this.step;
    pen.imageSmoothingEnabled = true;
    pen.drawImage(this.canvas, view.screenX(0), view.screenY(0), this.wide * size, this.high * size);
  }
}
