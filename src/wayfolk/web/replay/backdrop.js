// Backdrop: the map below the agents, kept as a picture that is drawn anew when the view, a wall or the colours change.

import { terrainColour } from "./terrain.js";
import { MAP_SIDE } from "./view.js";
import { WorldImage } from "./world_image.js";

export class Backdrop {
  constructor(painter) {
    this.painter = painter;
    this.timeline = painter.timeline;
    this.view = painter.view;
    this.picture = document.createElement("canvas");
    this.drawnOf = "";
    this.version = 0; // grows with each change of a wall
    this.farMap = null;
    const picture = painter.timeline.nodes?.picture;
    this.world = picture ? new WorldImage(picture, () => this.changed()) : null;
  }

  // Other colours: pictures are made anew.
  forget() {
    this.farMap = null;
    this.world?.dress(this.painter.theme);
  }

  changed() {
    this.version++;
    this.painter.ask();
  }

  wallChanged(index) {
    this.version++;
    if (this.farMap) this.dotFarMap(index);
  }

  draw() {
    const { view, picture, painter } = this;
    const pen = painter.context;
    const key = [view.version, this.version, painter.themeVersion].join();
    if (key !== this.drawnOf) {
      this.drawnOf = key;
      picture.width = view.wide;
      picture.height = view.high;
      const brush = picture.getContext("2d");
      brush.fillStyle = this.world ? painter.theme.card : painter.theme.floor;
      brush.fillRect(view.screenX(0), view.screenY(0), view.width * view.scale, view.height * view.scale);
      if (this.world) this.world.draw(brush, view);
      else if (view.scale < 3) this.paintFar(brush);
      else this.paintNear(brush);
    }
    pen.globalAlpha = 1;
    pen.clearRect(0, 0, view.wide, view.high);
    pen.drawImage(picture, 0, 0);
  }

  // Cells of a few pixels: a picture with a dot for each cell (or block of cells), scaled.
  paintFar(brush) {
    const { timeline, view } = this;
    if (!this.farMap) {
      this.farStep = Math.ceil(Math.max(view.width, view.height) / MAP_SIDE);
      this.farMap = document.createElement("canvas");
      this.farMap.width = Math.ceil(view.width / this.farStep);
      this.farMap.height = Math.ceil(view.height / this.farStep);
      for (let index = 0; index < timeline.walls.length; index++) {
        if (timeline.walls[index] || timeline.terrain) this.dotFarMap(index);
      }
    }
    brush.imageSmoothingEnabled = view.scale < 1;
    brush.imageSmoothingQuality = "high";
    const size = view.scale * this.farStep;
    const [wide, high] = [this.farMap.width * size, this.farMap.height * size];
    brush.drawImage(this.farMap, view.screenX(0), view.screenY(0), wide, high);
  }

  dotFarMap(index) {
    const dot = this.farMap.getContext("2d");
    const x = Math.floor((index % this.view.width) / this.farStep);
    const y = Math.floor(index / this.view.width / this.farStep);
    dot.clearRect(x, y, 1, 1);
    const { walls, firstWalls, terrain } = this.timeline;
    const ground = terrain && !walls[index] ? terrainColour(terrain[index], this.painter.theme) : "";
    if (!walls[index] && !ground) return;
    dot.fillStyle = ground || (firstWalls[index] ? this.painter.theme.wall : this.painter.theme["wall-new"]);
    dot.fillRect(x, y, 1, 1);
  }

  // Larger cells: walls as shapes with rounded corners and a little shade, and faint lines between cells.
  paintNear(brush) {
    const { timeline, view } = this;
    const { theme } = this.painter;
    const { width, height, scale } = view;
    const [left, right] = [Math.max(0, Math.floor(view.mapX(0))), Math.min(width, Math.ceil(view.mapX(view.wide)))];
    const [top, bottom] = [Math.max(0, Math.floor(view.mapY(0))), Math.min(height, Math.ceil(view.mapY(view.high)))];
    const pixelX = (x) => Math.round(view.screenX(x));
    const pixelY = (y) => Math.round(view.screenY(y));
    if (scale >= 9) {
      brush.fillStyle = theme.gridline;
      for (let x = left + 1; x < right; x++) brush.fillRect(pixelX(x), pixelY(top), 1, pixelY(bottom) - pixelY(top));
      for (let y = top + 1; y < bottom; y++) brush.fillRect(pixelX(left), pixelY(y), pixelX(right) - pixelX(left), 1);
    }
    const isWall = (x, y) => x < 0 || y < 0 || x >= width || y >= height || timeline.walls[y * width + x] === 1;
    const round = Math.min(0.3 * scale, 7 * devicePixelRatio);
    const old = new Path2D();
    const fresh = new Path2D();
    const freed = new Path2D();
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        /** @type {[number, number, number, number]} */
        const box = [pixelX(x), pixelY(y), pixelX(x + 1) - pixelX(x), pixelY(y + 1) - pixelY(y)];
        if (!isWall(x, y)) {
          const ground = timeline.terrain ? terrainColour(timeline.terrain[y * width + x], theme) : "";
          if (ground) {
            brush.fillStyle = ground;
            brush.fillRect(...box);
          }
          if (timeline.firstWalls[y * width + x]) freed.rect(...box);
          continue;
        }
        const [n, s, w, e] = [isWall(x, y - 1), isWall(x, y + 1), isWall(x - 1, y), isWall(x + 1, y)];
        const corners = [
          n || w || isWall(x - 1, y - 1) ? 0 : round,
          n || e || isWall(x + 1, y - 1) ? 0 : round,
          s || e || isWall(x + 1, y + 1) ? 0 : round,
          s || w || isWall(x - 1, y + 1) ? 0 : round,
        ];
        const path = timeline.firstWalls[y * width + x] ? old : fresh;
        if (corners.some((corner) => corner > 0)) path.roundRect(...box, corners);
        else path.rect(...box);
      }
    }
    brush.save();
    brush.beginPath();
    brush.rect(pixelX(0), pixelY(0), pixelX(width) - pixelX(0), pixelY(height) - pixelY(0));
    brush.clip();
    brush.fillStyle = theme.wall;
    brush.globalAlpha = 0.2;
    brush.fill(freed);
    brush.globalAlpha = 1;
    brush.shadowColor = theme["wall-shade"];
    brush.shadowBlur = 0.22 * scale;
    brush.shadowOffsetY = 0.08 * scale;
    brush.fill(old);
    brush.fillStyle = theme["wall-new"];
    brush.fill(fresh);
    brush.restore();
  }
}
