// Density: how many agents there are around each cell, as a heat map of one time.

const DENSITY_SIDE = 256; // blocks of cells along the longer side of the map, at most
const SPREAD = [0.06, 0.24, 0.4, 0.24, 0.06]; // of an agent over its block and the two beside it, each way
const FULL_CELLS = 0.5; // agents in a cell from which on it is as hot as can be,
const FULL_METRES = 3; // and bodies on a square metre

export class Density {
  constructor(timeline, view) {
    this.timeline = timeline;
    this.view = view;
    this.step = Math.ceil(Math.max(timeline.width, timeline.height) / DENSITY_SIDE);
    this.wide = Math.ceil(timeline.width / this.step);
    this.high = Math.ceil(timeline.height / this.step);
    this.counts = new Float32Array(this.wide * this.high);
    /** @type {OffscreenCanvas | null} */
    this.canvas = null;
    /** @type {ImageData | null} */
    this.pixels = null;
  }

  // Agents in a cell, or bodies on a square metre, around the cell (x, y).
  at(x, y) {
    return this.counts[Math.floor(y / this.step) * this.wide + Math.floor(x / this.step)] / this.area;
  }

  // Square cells, or square metres, of a block.
  get area() {
    const side = this.step * (this.timeline.bodies ? this.timeline.bodies.cell : 1);
    return side * side;
  }

  // Count the agents where `painter` has found them.
  count(painter) {
    const { view, wide, high, step, counts } = this;
    counts.fill(0);
    for (let agent = 0; agent < this.timeline.agents; agent++) {
      if (!painter.isShown[agent]) continue;
      const x = Math.floor(view.mapX(painter.xs[agent]) / step);
      const y = Math.floor(view.mapY(painter.ys[agent]) / step);
      for (let dy = -2; dy <= 2; dy++) {
        if (y + dy < 0 || y + dy >= high) continue;
        for (let dx = -2; dx <= 2; dx++) {
          if (x + dx >= 0 && x + dx < wide) counts[(y + dy) * wide + x + dx] += SPREAD[dx + 2] * SPREAD[dy + 2];
        }
      }
    }
  }

  draw(pen, painter) {
    const { view, wide, high, counts } = this;
    this.count(painter);
    this.canvas ||= new OffscreenCanvas(wide, high);
    const brush = this.canvas.getContext("2d");
    this.pixels ||= brush.createImageData(wide, high);
    const { data } = this.pixels;
    const colours = painter.theme.heat;
    const full = this.area * (this.timeline.bodies ? FULL_METRES : FULL_CELLS);
    for (let i = 0; i < counts.length; i++) {
      const colour = counts[i] > 0.02 * full ? 4 * Math.round(255 * Math.min(1, counts[i] / full)) : 0;
      for (let part = 0; part < 4; part++) data[4 * i + part] = colours[colour + part];
      if (colour) data[4 * i + 3] = 40 + Math.min(1, counts[i] / full) * 190;
    }
    brush.putImageData(this.pixels, 0, 0);
    const size = view.scale * this.step;
    pen.globalAlpha = 1;
    pen.imageSmoothingEnabled = true;
    pen.drawImage(this.canvas, view.screenX(0), view.screenY(0), wide * size, high * size);
  }
}
