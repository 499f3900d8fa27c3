// Search: what a search knew of each cell at any time, and its picture.
//
// Rows are by time, as `searches.py` wrote them. What is known of cells is kept for one time, and moved to another by doing
// or undoing the rows between. The picture has a pixel for each cell, scaled to the view; only changed rows of it are
// drawn anew.

const [UNSEEN, OPEN, CLOSED, OPEN_BACK, CLOSED_BACK] = [0, 1, 2, 3, 4];
const STATE_NAMES = ["not seen", "open", "closed", "open, from the goal", "closed, from the goal"];
const [ROW_OPENED, ROW_CLOSED, ROW_FORGOTTEN, ROW_LEARNED, ROW_SCANNED, ROW_OPENED_BACK, ROW_CLOSED_BACK] = [0, 1, 2, 3, 4, 5, 6];
const NEVER = 0xffffffff;

class Search {
  constructor(head, buffer, timeline) {
    const { rows } = head;
    Object.assign(this, { start: head.start, goal: head.goal, end: head.end, unit: head.unit, leaps: head.leaps });
    Object.assign(this, { path: head.path, timeline, width: timeline.width, rows, done: 0 });
    const bytes = new Uint8Array(buffer);
    let at = 0;
    const column = (n) => bytes.subarray(at, (at += n));
    const words = (n) => {
      const parts = [column(n), column(n), column(n), column(n)];
      const whole = new Uint32Array(n);
      for (let i = 0; i < n; i++) whole[i] = parts[0][i] + (parts[1][i] << 8) + (parts[2][i] << 16) + parts[3][i] * 16777216;
      return whole;
    };
    let tick = 0;
    this.time = Float64Array.from(words(rows), (gap) => (tick += gap) * head.tick);
    const index = (cell) => (cell === NOWHERE ? NEVER : timeline.y(cell) * this.width + timeline.x(cell));
    this.cell = words(rows).map(index);
    this.other = words(rows).map(index);
    this.kind = column(rows);
    this.newG = new Float32Array(words(rows).buffer);
    this.newH = new Float32Array(words(rows).buffer);
    this.startIndex = index(head.start);
    this.goalIndex = index(head.goal);

    const size = this.width * timeline.height;
    this.state = new Uint8Array(size);
    this.number = new Uint32Array(size).fill(NEVER); // how many cells were expanded before it
    this.g = new Float32Array(size).fill(NaN);
    this.h = new Float32Array(size).fill(NaN);
    this.learned = new Float32Array(size).fill(NaN);
    this.parent = new Uint32Array(size).fill(NEVER);
    this.scans = new Uint16Array(size);
    // what undoing a row brings back
    this.oldState = new Uint8Array(rows);
    this.oldNumber = new Uint32Array(rows);
    this.oldG = new Float32Array(rows);
    this.oldH = new Float32Array(rows);
    this.oldParent = new Uint32Array(rows);
    this.count = [0, 0, 0, 0, 0]; // cells in each state
    this.nExpanded = 0;
    this.nScanned = 0;
    this.newest = NEVER; // the cell that was closed last
    const kinds = new Set(this.kind);
    this.hasScans = kinds.has(ROW_SCANNED);
    this.hasLearned = kinds.has(ROW_LEARNED);
    this.isBothWays = kinds.has(ROW_OPENED_BACK);
    this.nClosings = count(this.kind, (kind) => kind === ROW_CLOSED || kind === ROW_CLOSED_BACK);
    this.isTimedByExpansions = head.unit === "expansions";
    this.total = this.isTimedByExpansions ? head.end : this.nClosings;
    this.measureLearned();
  }

  // How much the heuristic of any cell rises, for the scale of its colours.
  measureLearned() {
    this.mostLearned = 0;
    const first = new Map();
    for (let row = 0; row < this.rows; row++) {
      if (this.kind[row] !== ROW_LEARNED || !Number.isFinite(this.newH[row])) continue;
      const cell = this.cell[row];
      if (!first.has(cell)) first.set(cell, this.guess(cell));
      this.mostLearned = Math.max(this.mostLearned, this.newH[row] - first.get(cell));
    }
  }

  // The distance to the goal on an empty map.
  guess(index) {
    const dx = Math.abs((index % this.width) - (this.goalIndex % this.width));
    const dy = Math.abs(Math.floor(index / this.width) - Math.floor(this.goalIndex / this.width));
    return this.timeline.diagonals ? Math.max(dx, dy) + (this.timeline.diagonal - 1) * Math.min(dx, dy) : dx + dy;
  }

  // Bring what is known to time `t`; tells `changed` each index whose look is not what it was.
  moveTo(t, changed) {
    const until = upperBound(this.time, t, 0, this.rows);
    while (this.done < until) this.redo(this.done++, changed);
    while (this.done > until) this.undo(--this.done, changed);
  }

  redo(row, changed) {
    const { kind, cell, state, number, g, h, parent } = this;
    const index = cell[row];
    if (kind[row] === ROW_SCANNED) {
      this.run(row, 1, changed);
      return;
    }
    this.oldState[row] = state[index];
    this.oldG[row] = g[index];
    this.oldParent[row] = parent[index];
    this.oldNumber[row] = number[index];
    this.oldH[row] = kind[row] === ROW_LEARNED ? this.learned[index] : h[index];
    if (kind[row] === ROW_OPENED || kind[row] === ROW_OPENED_BACK) {
      g[index] = this.newG[row];
      h[index] = this.newH[row];
      parent[index] = this.other[row];
      this.enter(index, kind[row] === ROW_OPENED ? OPEN : OPEN_BACK);
    } else if (kind[row] === ROW_CLOSED || kind[row] === ROW_CLOSED_BACK) {
      number[index] = this.isTimedByExpansions ? Math.round(this.time[row]) - 1 : this.nExpanded;
      this.nExpanded++;
      this.oldNewest ||= new Uint32Array(this.rows);
      this.oldNewest[row] = this.newest;
      this.newest = index;
      this.enter(index, kind[row] === ROW_CLOSED ? CLOSED : CLOSED_BACK);
    } else if (kind[row] === ROW_LEARNED) this.learned[index] = this.newH[row];
    else this.enter(index, UNSEEN);
    changed(index);
  }

  undo(row, changed) {
    const { kind, cell } = this;
    const index = cell[row];
    if (kind[row] === ROW_SCANNED) {
      this.run(row, -1, changed);
      return;
    }
    if (kind[row] === ROW_LEARNED) this.learned[index] = this.oldH[row];
    else {
      if (kind[row] === ROW_CLOSED || kind[row] === ROW_CLOSED_BACK) {
        this.nExpanded--;
        this.newest = this.oldNewest[row];
      }
      this.g[index] = this.oldG[row];
      this.h[index] = this.oldH[row];
      this.parent[index] = this.oldParent[row];
      this.number[index] = this.oldNumber[row];
      this.enter(index, this.oldState[row]);
    }
    changed(index);
  }

  enter(index, state) {
    this.count[this.state[index]]--;
    this.count[state]++;
    this.state[index] = state;
  }

  // The cells of a scanned run, `by` more or less often scanned.
  run(row, by, changed) {
    const { width, cell, other, scans } = this;
    const down = Math.floor(other[row] / width) - Math.floor(cell[row] / width);
    const across = (other[row] % width) - (cell[row] % width);
    const step = Math.sign(down) * width + Math.sign(across);
    for (let k = Math.max(Math.abs(down), Math.abs(across)), index = cell[row]; k >= 0; k--, index += step) {
      const was = scans[index];
      scans[index] += by;
      if (!was === !scans[index]) continue;
      if (!this.timeline.walls[index]) this.nScanned += by;
      changed(index);
    }
  }

  // From a cell back to where its side of the search began, cell by parent; both ends included.
  chain(index) {
    const cells = [];
    for (let k = 0; index !== NEVER && index < this.state.length && k <= this.state.length; k++) {
      cells.push(index);
      if (this.parent[index] === index) break;
      index = this.parent[index];
    }
    return cells;
  }

  // The points of the way from a parent to its child: a jump goes diagonally first, then straight.
  points(cells) {
    const place = (index) => [index % this.width, Math.floor(index / this.width)];
    if (!this.leaps) return cells.map(place);
    const points = [];
    cells.forEach((cell, i) => {
      const [x, y] = place(cell);
      if (i) {
        const [beforeX, beforeY] = place(cells[i - 1]); // the chain runs backwards: its parent is (x, y)
        const slant = Math.min(Math.abs(beforeX - x), Math.abs(beforeY - y));
        points.push([x + slant * Math.sign(beforeX - x), y + slant * Math.sign(beforeY - y)]);
      }
      points.push([x, y]);
    });
    return points;
  }

  // What is known of a cell, as words.
  describe(index) {
    const value = (number) => (Number.isFinite(number) ? number.toFixed(2) : number === Infinity ? "\u221e" : null);
    const words = [`(${index % this.width}, ${Math.floor(index / this.width)})`];
    if (this.timeline.walls[index]) return [...words, "wall"];
    words.push(STATE_NAMES[this.state[index]]);
    if (this.number[index] !== NEVER) words.push(`expanded as number ${this.number[index] + 1}`);
    const [g, h, learned] = [this.g[index], this.h[index], this.learned[index]];
    const isKnown = this.state[index] !== UNSEEN;
    if (isKnown && value(g)) words.push(`g ${value(g)}`);
    if (isKnown && value(h)) words.push(`h ${value(h)}`);
    if (isKnown && value(g) && value(h)) words.push(`f ${value(g + h)}`);
    if (learned > 0) words.push(`learned h ${value(learned)}, first ${value(this.guess(index))}`);
    if (this.scans[index]) words.push("scanned");
    return words;
  }
}

class SearchPicture {
  constructor(search, view) {
    Object.assign(this, { search, view });
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
    const { search, theme, view } = this;
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
