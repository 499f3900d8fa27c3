// Areas: the cells of a map by area and kind, and arrows for the directions in which agents go there.
// A picture with a dot for each cell is scaled to the view; borders and arrows are drawn over it.

import { drawArrow } from "./arrows.js";
import { fromOklab, inked } from "./colours.js";
import { NOWHERE } from "./decode.js";
import { HEADING_X, HEADING_Y } from "./lanes.js";
import { areaName } from "./layers.js";
import { MAP_SIDE } from "./view.js";

const NO_HEADING = 8;
const LONG_ARROW = 9; // pixels of an arrow, at least, also where cells are smaller
const NAMED = 4000; // square pixels of an area that bears its name, at least
const TURN = 2.39996; // the golden angle: neighbouring numbers get colours far apart

export class Areas {
  constructor(layers, view, timeline) {
    this.layers = layers;
    this.view = view;
    this.timeline = timeline;
    this.drawnOf = "";
    this.picture = document.createElement("canvas");
    this.dots = document.createElement("canvas");
  }

  setTheme(theme) {
    this.theme = theme;
    this.drawnOf = "";
    this.dotted = null;
  }

  // The layer that holds at `t`, if one does.
  at(t) {
    return this.layers.findLast((layer) => layer.since <= t);
  }

  draw(pen, t, wallVersion) {
    const { view, picture } = this;
    const layer = this.at(t);
    if (!layer) return;
    const key = [view.version, wallVersion, this.layers.indexOf(layer)].join();
    if (key !== this.drawnOf) {
      this.drawnOf = key;
      picture.width = view.wide;
      picture.height = view.high;
      const brush = picture.getContext("2d");
      this.paintDots(layer, wallVersion);
      const size = view.scale * this.step;
      brush.imageSmoothingEnabled = view.scale < 1;
      brush.drawImage(this.dots, view.screenX(0), view.screenY(0), this.dots.width * size, this.dots.height * size);
      if (view.scale >= 4) this.paintBorders(brush, layer);
      this.paintArrows(brush, layer);
      this.paintNames(brush, layer);
    }
    pen.globalAlpha = 1;
    pen.drawImage(picture, 0, 0);
  }

  // A dot for each cell or, on a huge map, for each block of cells.
  paintDots(layer, wallVersion) {
    const { view, dots, theme } = this;
    const key = `${this.layers.indexOf(layer)},${wallVersion}`;
    if (this.dotted === key) return;
    this.dotted = key;
    this.step = Math.ceil(Math.max(view.width, view.height) / MAP_SIDE);
    dots.width = Math.ceil(view.width / this.step);
    dots.height = Math.ceil(view.height / this.step);
    const brush = dots.getContext("2d");
    const image = brush.createImageData(dots.width, dots.height);
    const pixels = new Uint32Array(image.data.buffer);
    const fixed = layer.kinds.map(([, tone, strength]) => (tone === "mixed" ? null : inked(theme.tones[tone], strength)));
    const mixed = new Map();
    for (let y = 0, at = 0; y < dots.height; y++) {
      for (let x = 0; x < dots.width; x++, at++) {
        const index = y * this.step * view.width + x * this.step;
        const area = layer.area[index];
        if (area === NOWHERE || this.timeline.walls[index]) continue;
        const kind = layer.kind[index];
        if (fixed[kind] === null && !mixed.has(area)) {
          const [lightness, chroma] = theme.area;
          const turn = 0.7 + area * TURN;
          const colour = fromOklab(lightness, chroma * Math.cos(turn), chroma * Math.sin(turn));
          mixed.set(area, inked(colour, layer.kinds[kind][2]));
        }
        pixels[at] = fixed[kind] ?? mixed.get(area);
      }
    }
    brush.putImageData(image, 0, 0);
  }

  // The part of the map that is seen, as [left, top, right, bottom] in cells.
  get seen() {
    const { view } = this;
    const low = (place) => Math.max(0, Math.floor(place));
    const [right, bottom] = [Math.ceil(view.mapX(view.wide)), Math.ceil(view.mapY(view.high))];
    return [low(view.mapX(0)), low(view.mapY(0)), Math.min(view.width, right), Math.min(view.height, bottom)];
  }

  // Lines between cells of two areas.
  paintBorders(brush, layer) {
    const { view, theme } = this;
    const [left, top, right, bottom] = this.seen;
    const { area } = layer;
    const differ = (one, other) => area[one] !== area[other] && area[one] !== NOWHERE && area[other] !== NOWHERE;
    const [pixelX, pixelY] = [(x) => Math.round(view.screenX(x)), (y) => Math.round(view.screenY(y))];
    brush.fillStyle = theme.ink;
    brush.globalAlpha = 0.35;
    const thin = Math.max(1, Math.round(devicePixelRatio * Math.min(1, view.scale / 12)));
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const index = y * view.width + x;
        if (x + 1 < view.width && differ(index, index + 1)) {
          brush.fillRect(pixelX(x + 1), pixelY(y), thin, pixelY(y + 1) - pixelY(y));
        }
        if (y + 1 < view.height && differ(index, index + view.width)) {
          brush.fillRect(pixelX(x), pixelY(y + 1), pixelX(x + 1) - pixelX(x), thin);
        }
      }
    }
    brush.globalAlpha = 1;
  }

  // One for each cell; where cells are small, for each few cells along and across the direction.
  paintArrows(brush, layer) {
    const { view, theme } = this;
    const [left, top, right, bottom] = this.seen;
    const size = Math.max(0.72 * view.scale, LONG_ARROW * devicePixelRatio);
    const along = Math.ceil(size / view.scale);
    const across = Math.ceil(along / 2);
    brush.globalAlpha = 0.8;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const heading = layer.heading[y * view.width + x];
        if (heading === NO_HEADING || this.timeline.walls[y * view.width + x]) continue;
        const [wide, high] = heading % 2 ? [along, along] : heading % 4 ? [across, along] : [along, across];
        if (x % wide || y % high) continue;
        const [alongX, alongY] = [HEADING_X[heading], HEADING_Y[heading]];
        drawArrow(brush, view.screenX(x + 0.5), view.screenY(y + 0.5), alongX, alongY, size, theme.ink);
      }
    }
    brush.globalAlpha = 1;
  }

  paintNames(brush, layer) {
    const { view, theme } = this;
    const ratio = devicePixelRatio;
    layer.middles ||= middles(layer, view.width);
    brush.font = `600 ${11 * ratio}px system-ui, sans-serif`;
    brush.textAlign = "center";
    brush.textBaseline = "middle";
    brush.lineJoin = "round";
    brush.lineWidth = 4 * ratio;
    brush.strokeStyle = theme.floor;
    brush.fillStyle = theme.ink;
    for (const [area, { n, atX, atY }] of layer.middles) {
      if (n * view.scale ** 2 < NAMED * ratio ** 2) continue;
      const place = [areaName(layer.groups, area), view.screenX(atX + 0.5), view.screenY(atY + 0.5)];
      brush.strokeText(...place);
      brush.fillText(...place);
    }
  }
}

// For each area its number of cells and the one nearest to its middle.
function middles({ area }, width) {
  const areas = new Map();
  const each = (act) => area.forEach((name, index) => name !== NOWHERE && act(name, index % width, Math.floor(index / width)));
  each((name, x, y) => {
    const sum = areas.get(name) || areas.set(name, { x: 0, y: 0, n: 0, best: Infinity }).get(name);
    sum.x += x;
    sum.y += y;
    sum.n++;
  });
  each((name, x, y) => {
    const middle = areas.get(name);
    const apart = (x - middle.x / middle.n) ** 2 + (y - middle.y / middle.n) ** 2;
    if (apart < middle.best) Object.assign(middle, { best: apart, atX: x, atY: y });
  });
  return areas;
}
