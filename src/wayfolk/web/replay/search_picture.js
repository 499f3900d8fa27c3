// SearchPicture: a search at one time, with a pixel for each cell, scaled to the view. Only changed rows are drawn anew.

import { inked } from "./colours.js";
import { CLOSED, NEVER, OPEN, OPEN_BACK, ROW_OPENED, UNSEEN } from "./search.js";

export class SearchPicture {
  constructor(search, view) {
    this.search = search;
    this.view = view;
    this.canvas = document.createElement("canvas");
    this.canvas.width = search.width;
    this.canvas.height = search.timeline.height;
    this.brush = this.canvas.getContext("2d");
    this.image = this.brush.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.stale = [];
    this.shows = "";
  }

  setTheme(theme) {
    this.theme = theme;
    this.shows = "";
    const solid = (colour, strength) => inked(colour, strength);
    this.open = [solid(theme.search.open, 0.95), solid(theme.search.back, 0.95)];
    this.closed = [0, 1].map((side) =>
      Array.from({ length: 256 }, (_, k) => {
        const [early, late] = side ? theme.search.backward : theme.search.forward;
        return solid(early.map((part, i) => Math.round(part + ((late[i] - part) * k) / 255)), 0.85);
      }),
    );
    this.scanned = solid(theme.search.scan, 0.3);
    this.heat = Array.from({ length: 256 }, (_, k) => solid([0, 1, 2].map((i) => theme.heat[4 * k + i]), 0.9));
  }

  moveTo(t) {
    this.search.moveTo(t, (index) => this.stale.push(index));
  }

  // `show` holds the switches; `hover` is the index of the cell under the pointer, or -1.
  draw(pen, t, show, hover) {
    const { search, view, canvas, brush, image } = this;
    this.moveTo(t);
    const shows = [show.cells, show.scans, show.learned].join();
    let [top, bottom] = [canvas.height, -1];
    const dot = (index) => {
      this.pixels[index] = this.colour(index, show);
      const y = Math.floor(index / canvas.width);
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    };
    if (shows !== this.shows || this.stale.length > this.pixels.length) {
      this.shows = shows;
      for (let index = 0; index < this.pixels.length; index++) dot(index);
    } else for (const index of this.stale) dot(index);
    this.stale.length = 0;
    if (bottom >= top) brush.putImageData(image, 0, 0, 0, top, canvas.width, bottom - top + 1);
    pen.globalAlpha = 1;
    pen.imageSmoothingEnabled = view.scale < 1;
    pen.drawImage(canvas, view.screenX(0), view.screenY(0), view.width * view.scale, view.height * view.scale);
    if (show.cells && search.leaps) this.drawJumpPoints(pen);
    if (show.route) this.drawRoute(pen, t, hover);
    this.drawEnds(pen);
    if (hover >= 0) this.drawHover(pen, hover);
    if (show.cells && view.scale >= 46 * devicePixelRatio) this.drawNumbers(pen);
  }

  colour(index, show) {
    const { search } = this;
    if (search.timeline.walls[index]) return 0;
    if (show.learned && search.learned[index] > 0 && search.mostLearned > 0) {
      const rise = search.learned[index] - search.guess(index);
      if (rise > 1e-6) return this.heat[Math.round(40 + 215 * Math.min(1, rise / search.mostLearned))];
    }
    const state = show.cells ? search.state[index] : UNSEEN;
    if (state === OPEN || state === OPEN_BACK) return this.open[state === OPEN ? 0 : 1];
    if (state !== UNSEEN) {
      const part = search.total > 1 ? search.number[index] / (search.total - 1) : 1;
      return this.closed[state === CLOSED ? 0 : 1][Math.min(255, Math.round(255 * part))];
    }
    return show.scans && search.scans[index] ? this.scanned : 0;
  }

  // Jump points are few and far between: a ring around each, so that they are seen on large maps.
  drawJumpPoints(pen) {
    const { search, view, theme } = this;
    const size = Math.max(0.32 * view.scale, 2.2 * devicePixelRatio);
    search.everSeen ||= new Uint32Array(new Set(search.cell.filter((_, row) => search.kind[row] === ROW_OPENED)));
    for (const [state, colour] of [[CLOSED, theme.search.forward[1]], [OPEN, theme.search.open]]) {
      pen.fillStyle = `rgb(${colour.join(" ")})`;
      pen.beginPath();
      for (const index of search.everSeen) {
        if (search.state[index] !== state) continue;
        const [x, y] = this.middle(index);
        pen.moveTo(x + size, y);
        pen.arc(x, y, size, 0, 7);
      }
      pen.fill();
    }
  }

  // The way to the cell that was expanded last, or to the one under the pointer; after the search, the path.
  drawRoute(pen, t, hover) {
    const { search, theme } = this;
    const { path } = search;
    const grown = t - search.end;
    pen.lineCap = pen.lineJoin = "round";
    if (path.length > 1 && grown > 0) {
      const tail = Math.max(1, search.timeline.end - search.end);
      this.stroke(pen, partOf(path, Math.min(1, (1.25 * grown) / tail)), theme.card, 0.44, 5);
      this.stroke(pen, partOf(path, Math.min(1, (1.25 * grown) / tail)), theme.search.path, 0.26, 3);
    }
    const cell = hover >= 0 && search.parent[hover] !== NEVER ? hover : grown > 0 ? NEVER : search.newest;
    if (cell === NEVER) return;
    this.stroke(pen, search.points(search.chain(cell)), theme.card, 0.3, 3.5);
    this.stroke(pen, search.points(search.chain(cell)), theme.ink, 0.14, 1.75);
  }

  stroke(pen, points, colour, width, least) {
    const { view } = this;
    if (points.length < 2) return;
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(width * view.scale, least * devicePixelRatio);
    pen.beginPath();
    points.forEach(([x, y], i) => pen[i ? "lineTo" : "moveTo"](view.screenX(x + 0.5), view.screenY(y + 0.5)));
    pen.stroke();
  }

  // The start is a disc, the goal a diamond.
  drawEnds(pen) {
    const { search, view, theme } = this;
    const size = Math.max(0.36 * view.scale, 5 * devicePixelRatio);
    pen.lineWidth = 2 * devicePixelRatio;
    pen.strokeStyle = theme.card;
    const [startX, startY] = this.middle(search.startIndex);
    pen.fillStyle = theme.search.start;
    pen.beginPath();
    pen.arc(startX, startY, size, 0, 7);
    pen.fill();
    pen.stroke();
    const [goalX, goalY] = this.middle(search.goalIndex);
    pen.fillStyle = theme.search.goal;
    pen.beginPath();
    pen.moveTo(goalX, goalY - 1.25 * size);
    pen.lineTo(goalX + 1.25 * size, goalY);
    pen.lineTo(goalX, goalY + 1.25 * size);
    pen.lineTo(goalX - 1.25 * size, goalY);
    pen.closePath();
    pen.fill();
    pen.stroke();
  }

  drawHover(pen, index) {
    const { view, theme } = this;
    const half = Math.max(view.scale / 2, 3 * devicePixelRatio);
    const [x, y] = this.middle(index);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = Math.max(1, 1.5 * devicePixelRatio);
    pen.strokeRect(x - half, y - half, 2 * half, 2 * half);
  }

  // Large cells hold their g, h and f.
  drawNumbers(pen) {
    const { search, view, theme } = this;
    const low = (place) => Math.max(0, Math.floor(place));
    const right = Math.min(view.width, Math.ceil(view.mapX(view.wide)));
    const bottom = Math.min(view.height, Math.ceil(view.mapY(view.high)));
    pen.font = `${Math.round(0.19 * view.scale)}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = theme.ink;
    for (let y = low(view.mapY(0)); y < bottom; y++) {
      for (let x = low(view.mapX(0)); x < right; x++) {
        const index = y * view.width + x;
        if (search.state[index] === UNSEEN) continue;
        const [g, h] = [search.g[index], search.h[index]];
        const lines = [["g", g], ["h", h], ["f", g + h]].filter(([, value]) => Number.isFinite(value));
        lines.forEach(([name, value], k) => {
          const down = (k - (lines.length - 1) / 2) * 0.26;
          pen.fillText(`${name} ${value.toFixed(1)}`, view.screenX(x + 0.5), view.screenY(y + 0.5 + down));
        });
      }
    }
  }

  middle(index) {
    const { view, search } = this;
    return [view.screenX((index % search.width) + 0.5), view.screenY(Math.floor(index / search.width) + 0.5)];
  }
}

// The first part of a line, by its length.
function partOf(points, part) {
  const lengths = points.slice(1).map(([x, y], i) => Math.hypot(x - points[i][0], y - points[i][1]));
  let left = part * lengths.reduce((sum, length) => sum + length, 0);
  const taken = [points[0]];
  for (let i = 0; i < lengths.length && left > 0; left -= lengths[i++]) {
    const over = lengths[i] ? Math.min(1, left / lengths[i]) : 1;
    taken.push([0, 1].map((k) => points[i][k] + over * (points[i + 1][k] - points[i][k])));
  }
  return taken;
}
