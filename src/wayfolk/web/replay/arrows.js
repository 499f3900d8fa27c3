// The vectors of lanes as a picture. Cells are tinted by direction, and arrows stand on them, one for each cell
// or, where cells are small, for each block of cells: the mean of its vectors, pale and short where they disagree.
// Only blocks in which something was learned are drawn anew.

import { SHADES, tint } from "./colours.js";
import { HEADING_X, HEADING_Y } from "./lanes.js";

const APART = 10; // pixels between two arrows, at least
const FAINT = 0.06; // shorter vectors are not seen

export class Arrows {
  constructor(lanes, view) {
    this.lanes = lanes;
    this.view = view;
    this.drawnOf = -1;
    this.step = 1;
    this.picture = document.createElement("canvas");
    this.stale = new Set();
  }

  setTheme(theme) {
    this.theme = theme;
    this.drawnOf = -1;
  }

  draw(pen, t) {
    const { view, picture, stale, across } = this;
    this.moveTo(t);
    if (this.drawnOf !== view.version) this.drawAll();
    else {
      const brush = picture.getContext("2d");
      for (const block of stale) this.drawBlock(brush, block % across, Math.floor(block / across));
    }
    stale.clear();
    pen.globalAlpha = 1;
    pen.drawImage(picture, 0, 0);
  }

  moveTo(t) {
    const { view, step, stale, across } = this;
    this.lanes.moveTo(t, (index) => {
      const y = Math.floor(index / view.width);
      stale.add(Math.floor(y / step) * across + Math.floor((index - y * view.width) / step));
    });
  }

  get across() {
    return Math.ceil(this.view.width / this.step);
  }

  drawAll() {
    const { view, picture } = this;
    this.drawnOf = view.version;
    this.step = Math.ceil((APART * devicePixelRatio) / view.scale);
    picture.width = view.wide;
    picture.height = view.high;
    const brush = picture.getContext("2d");
    const first = (place) => Math.max(0, Math.floor(place / this.step));
    const last = (place, size) => Math.ceil(Math.min(place, size) / this.step);
    const [right, bottom] = [last(view.mapX(view.wide), view.width), last(view.mapY(view.high), view.height)];
    for (let y = first(view.mapY(0)); y < bottom; y++) {
      for (let x = first(view.mapX(0)); x < right; x++) this.drawBlock(brush, x, y);
    }
  }

  drawBlock(brush, blockX, blockY) {
    const { lanes, view, theme, step } = this;
    const [left, right] = [blockX * step, Math.min((blockX + 1) * step, view.width)];
    const [top, bottom] = [blockY * step, Math.min((blockY + 1) * step, view.height)];
    const box = this.box(left, top, right, bottom);
    brush.clearRect(...box);
    let [sumX, sumY, n] = [0, 0, 0];
    let [middleX, middleY, nFree] = [0, 0, 0];
    const isFine = view.scale >= 2; // else the whole block is tinted
    brush.beginPath();
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const index = y * view.width + x;
        if (lanes.timeline.walls[index]) continue;
        middleX += x + 0.5;
        middleY += y + 0.5;
        nFree++;
        if (isFine) brush.rect(...this.box(x, y, x + 1, y + 1));
        if (!lanes.x[index] && !lanes.y[index]) continue;
        sumX += lanes.x[index];
        sumY += lanes.y[index];
        n++;
      }
    }
    if (!n) return;
    if (!isFine) brush.rect(...box);
    const [alongX, alongY] = [sumX / n, sumY / n];
    brush.fillStyle = tint(theme.lanes.floor, alongX, alongY);
    brush.fill();
    // in the middle of what is free, and not beyond the block, which is all that is wiped before it is drawn anew
    [middleX, middleY] = [middleX / nFree, middleY / nFree];
    const long = Math.hypot(alongX, alongY);
    const roomX = (Math.min(middleX - left, right - middleX) * long) / Math.abs(alongX);
    const roomY = (Math.min(middleY - top, bottom - middleY) * long) / Math.abs(alongY);
    const size = Math.min(step, 2 * roomX, 2 * roomY) * view.scale;
    drawArrow(brush, view.screenX(middleX), view.screenY(middleY), alongX, alongY, size, tint(theme.lanes.arrow, alongX, alongY));
  }

  // In whole pixels, so that neighbours meet.
  box(left, top, right, bottom) {
    const { view } = this;
    const [x, y] = [Math.round(view.screenX(left)), Math.round(view.screenY(top))];
    return [x, y, Math.round(view.screenX(right)) - x, Math.round(view.screenY(bottom)) - y];
  }
}

// Around (x, y), as long as the vector is strong; `size` is the room there is.
export function drawArrow(brush, x, y, alongX, alongY, size, colour) {
  const strength = Math.hypot(alongX, alongY);
  if (strength < FAINT) return;
  const half = size * (0.16 + 0.3 * Math.min(strength, 1));
  const [dx, dy] = [(alongX / strength) * half, (alongY / strength) * half];
  const barb = 0.62;
  brush.strokeStyle = brush.fillStyle = colour;
  brush.lineWidth = Math.max(0.09 * size, devicePixelRatio);
  brush.beginPath();
  brush.moveTo(x - dx, y - dy);
  brush.lineTo(x + 0.3 * dx, y + 0.3 * dy);
  brush.stroke();
  brush.beginPath();
  brush.moveTo(x + dx, y + dy);
  brush.lineTo(x - 0.05 * dx - barb * dy, y - 0.05 * dy + barb * dx);
  brush.lineTo(x - 0.05 * dx + barb * dy, y - 0.05 * dy - barb * dx);
  brush.fill();
}

// The legend: eight arrows on a disc, each in the colour of its direction.
export function drawLegend(canvas, theme) {
  const side = canvas.clientWidth * devicePixelRatio;
  canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d");
  const middle = side / 2;
  for (let shade = 0; shade < SHADES; shade++) {
    const turn = ((shade - 0.5) / SHADES) * 2 * Math.PI;
    pen.fillStyle = tint(theme.lanes.floor, Math.cos(turn + Math.PI / SHADES), Math.sin(turn + Math.PI / SHADES));
    pen.beginPath();
    pen.moveTo(middle, middle);
    pen.arc(middle, middle, middle, turn, turn + (2 * Math.PI) / SHADES + 0.01);
    pen.fill();
  }
  for (let k = 0; k < 8; k++) {
    const [x, y] = [HEADING_X[k], HEADING_Y[k]];
    const colour = tint(theme.lanes.arrow, x, y);
    drawArrow(pen, middle + 0.62 * middle * x, middle + 0.62 * middle * y, x, y, 0.3 * side, colour);
  }
}
