// View: which part of a map a canvas shows. Lengths are device pixels; a cell is 1 wide, its centre at + 0.5.

import { clamp } from "./numbers.js";

export const MAP_SIDE = 4096; // pixels of a picture with a dot for each cell, at most
const MAX_CELL_PIXELS = 96;

export class View {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.wide = 1;
    this.high = 1;
    this.zoom = 1;
    this.x = width / 2;
    this.y = height / 2;
    this.version = 0;
  }

  get scale() {
    return this.fit * this.zoom;
  }

  get fit() {
    return Math.min(this.wide / this.width, this.high / this.height);
  }

  resize(wide, high) {
    this.wide = wide;
    this.high = high;
    this.settle();
  }

  reset() {
    this.zoom = 1;
    this.settle();
  }

  screenX(x) {
    return (x - this.x) * this.scale + this.wide / 2;
  }

  screenY(y) {
    return (y - this.y) * this.scale + this.high / 2;
  }

  mapX(px) {
    return (px - this.wide / 2) / this.scale + this.x;
  }

  mapY(py) {
    return (py - this.high / 2) / this.scale + this.y;
  }

  // What is at the pixel stays there.
  zoomBy(factor, px, py) {
    const x = this.mapX(px);
    const y = this.mapY(py);
    this.zoom = Math.max(1, Math.min(this.zoom * factor, Math.max(1, MAX_CELL_PIXELS / this.fit)));
    this.x += x - this.mapX(px);
    this.y += y - this.mapY(py);
    this.settle();
  }

  panBy(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.settle();
  }

  centre(x, y) {
    this.x = x;
    this.y = y;
    this.settle();
  }

  // The map never leaves the canvas, and sits in the middle of one that is larger.
  settle() {
    const halfWide = this.wide / 2 / this.scale;
    const halfHigh = this.high / 2 / this.scale;
    this.x = 2 * halfWide >= this.width ? this.width / 2 : clamp(this.x, halfWide, this.width - halfWide);
    this.y = 2 * halfHigh >= this.height ? this.height / 2 : clamp(this.y, halfHigh, this.height - halfHigh);
    this.version++;
  }
}
