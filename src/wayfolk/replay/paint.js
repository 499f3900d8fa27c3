// Painter: draws one timeline at one time. The map is kept as a picture and redrawn only when it changes; a disc is
// drawn once for each colour and size, then stamped.

const TRAIL = 14; // time units of path behind each agent
const LONG_TRAIL = 120; // and behind the one that is followed
const TRAIL_BANDS = [
  [1, 0.1],
  [0.66, 0.16],
  [0.33, 0.26],
];
const HEAT_SIDE = 1024; // cells of the heat map along its longer side, at most
const MAP_SIDE = 4096;
const DENSE = 800; // agents from which on they are stamped,
const SMALL_DISC = 5; // if their discs are no larger than this
const TONES = ["blue", "orange", "green", "red", "grey"]; // of layers
const [GOING, THERE, RELEASED] = [0, 1, 2];

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["floor", "wall", "wall-new", "wall-shade", "gridline", "edge", "alarm", "ink", "card", "quiet", "accent"];
  const theme = Object.fromEntries(names.map((name) => [name, read(name)]));
  theme.agents = [0, 1, 2, 3, 4, 5, 6].map((i) => read(`agent-${i}`));
  theme.heat = ramp([0, 1, 2, 3].map((i) => read(`heat-${i}`)));
  const [floor, arrow] = ["lane-floor", "lane-arrow"].map((name) => wheel(...read(name).split(" ").map(Number)));
  theme.lanes = { floor, arrow };
  theme.area = read("area").split(" ").map(Number);
  const bytes = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const pair = (name) => read(name).split(" ").map(bytes);
  theme.search = { open: bytes(read("search-open")), back: bytes(read("search-back")), scan: bytes(read("search-scan")) };
  theme.search.forward = pair("search-forward");
  theme.search.backward = pair("search-backward");
  for (const name of ["path", "start", "goal"]) theme.search[name] = read(`search-${name}`);
  theme.dear = bytes(read("dear"));
  theme.tones = Object.fromEntries(TONES.map((tone) => [tone, bytes(read(`tone-${tone}`))]));
  return theme;
}

// 256 colours through the four given ones, from transparent to nearly solid.
function ramp(colours) {
  const strip = new OffscreenCanvas(256, 1).getContext("2d", { willReadFrequently: true });
  const blend = strip.createLinearGradient(0, 0, 256, 0);
  colours.forEach((colour, i) => blend.addColorStop(i / (colours.length - 1), colour));
  strip.fillStyle = blend;
  strip.fillRect(0, 0, 256, 1);
  const pixels = strip.getImageData(0, 0, 256, 1).data;
  for (let i = 0; i < 256; i++) pixels[4 * i + 3] = i ? 110 + (i * 130) / 255 : 0;
  return pixels;
}

class Painter {
  constructor(canvas, timeline, view, lanes, layers) {
    Object.assign(this, { canvas, timeline, view });
    this.search = timeline.search ? new SearchPicture(timeline.search, view) : null;
    this.setLayers(layers);
    this.arrows = new Arrows(lanes, view);
    this.density = new Density(timeline, view);
    this.under = []; // what others draw below the agents, and above them: functions of the pen, the time and the switches
    this.over = [];
    this.context = canvas.getContext("2d");
    this.backdrop = document.createElement("canvas");
    this.backdropOf = "";
    this.wallVersion = 0;
    this.sprites = [];
    this.drawing = 0;
    this.place = { x: 0, y: 0 };
    this.makeRoom(timeline.agents);
    this.bodies = timeline instanceof Bodies ? new BodyPainter(this, timeline) : null;
    this.prepareHeat();
  }

  // What is shown of layers from now on; areas that stay the same are not drawn anew.
  setLayers({ cells, marks }) {
    const before = this.areas;
    this.marks = marks;
    this.areas = new Map(
      [...cells].map(([title, ofTitle]) => {
        const old = before?.get(title);
        return [title, old?.layers === ofTitle ? old : new Areas(ofTitle, this.view, this.timeline)];
      }),
    );
    if (this.theme) for (const areas of this.areas.values()) if (!areas.theme) areas.setTheme(this.theme);
  }

  makeRoom(agents) {
    this.flashed = new Uint32Array(agents);
    this.xs = new Float32Array(agents);
    this.ys = new Float32Array(agents);
    this.isShown = new Uint8Array(agents);
  }

  setTheme(theme) {
    this.theme = theme;
    this.themeVersion = (this.themeVersion || 0) + 1;
    this.sprites = [];
    this.farMap = null;
    this.heat.version = -1;
    this.arrows.setTheme(theme);
    if (this.search) this.search.setTheme(theme);
    for (const areas of this.areas.values()) areas.setTheme(theme);
  }

  // `show` holds the switches, `flash` how long a refusal is seen, `follow` an agent or -1, `hover` a cell's index or -1.
  draw(t, { show, flash, follow, hover }) {
    const { context: pen, timeline, view } = this;
    timeline.moveWalls(t, (index) => this.wallChanged(index));
    this.drawBackdrop();
    for (const [title, areas] of this.areas) if (show[layerSwitch(title)]) areas.draw(pen, t, this.wallVersion);
    if (this.search) this.search.draw(pen, t, show, hover);
    if (show.lanes) this.arrows.draw(pen, t);
    if (show.heat) this.drawHeat(t);
    this.locate(t);
    if (show.density) this.density.draw(pen, this);
    for (const draw of this.under) draw(pen, t, show);
    const isAlone = follow >= 0 && this.isShown[follow];
    const calm = isAlone ? 0.4 : 1;
    if (show.trails) this.drawTrails(t, calm);
    if (show.lines) this.drawLines(t, calm);
    if (show.goals) this.drawGoals(t, calm);
    if (this.bodies) this.bodies.draw(t, calm, show.service);
    else this.drawAgents(t, calm, show.lanes, flash);
    for (const [title, [marks]] of this.marks) {
      if (show[layerSwitch(title)]) marks.draw(this, t, { flash, follow: isAlone ? follow : -1 });
    }
    this.drawFlashes(t, flash);
    for (const draw of this.over) draw(pen, t, show);
    if (isAlone) this.drawFollowed(t, follow);
    pen.globalAlpha = 1;
    pen.strokeStyle = this.theme.edge;
    pen.lineWidth = Math.max(1, Math.round(devicePixelRatio));
    const [left, top] = [Math.round(view.screenX(0)) + 0.5, Math.round(view.screenY(0)) + 0.5];
    const [right, bottom] = [Math.round(view.screenX(view.width)) - 0.5, Math.round(view.screenY(view.height)) - 0.5];
    pen.strokeRect(left, top, right - left, bottom - top);
  }

  locate(t) {
    const { timeline, view, place } = this;
    if (timeline.agents > this.xs.length) this.makeRoom(2 * timeline.agents);
    for (let agent = 0; agent < timeline.agents; agent++) {
      this.isShown[agent] = timeline.position(agent, t, place) ? 1 : 0;
      this.xs[agent] = view.screenX(place.x + 0.5);
      this.ys[agent] = view.screenY(place.y + 0.5);
    }
  }

  get radius() {
    return Math.max(0.43 * this.view.scale, 1.7 * devicePixelRatio);
  }

  colour(agent) {
    return this.theme.agents[agent % this.theme.agents.length];
  }

  // --- the map

  wallChanged(index) {
    this.wallVersion++;
    if (this.farMap) this.dotFarMap(index);
  }

  drawBackdrop() {
    const { context: pen, view, backdrop } = this;
    const key = [view.version, this.wallVersion, this.themeVersion].join();
    if (key !== this.backdropOf) {
      this.backdropOf = key;
      backdrop.width = view.wide;
      backdrop.height = view.high;
      const brush = backdrop.getContext("2d");
      brush.fillStyle = this.theme.floor;
      brush.fillRect(view.screenX(0), view.screenY(0), view.width * view.scale, view.height * view.scale);
      if (view.scale < 3) this.paintFar(brush);
      else this.paintNear(brush);
    }
    pen.globalAlpha = 1;
    pen.clearRect(0, 0, view.wide, view.high);
    pen.drawImage(backdrop, 0, 0);
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
    const ground = terrain && !walls[index] ? terrainColour(terrain[index], this.theme) : "";
    if (!walls[index] && !ground) return;
    dot.fillStyle = ground || (firstWalls[index] ? this.theme.wall : this.theme["wall-new"]);
    dot.fillRect(x, y, 1, 1);
  }

  // Larger cells: walls as shapes with rounded corners and a little shade, and faint lines between cells.
  paintNear(brush) {
    const { timeline, view, theme } = this;
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

  // --- where agents collided

  prepareHeat() {
    const { timeline } = this;
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
    this.heat = { step, wide, high, spot, counts: new Uint32Array(wide * high), most, done: 0, version: -1, scale: most };
  }

  drawHeat(t) {
    const { context: pen, view, heat } = this;
    const dropped = this.timeline.droppedRefusals || 0; // the oldest of a live timeline
    heat.done = Math.max(0, heat.done - dropped + (heat.dropped || 0));
    heat.dropped = dropped;
    const until = this.timeline.refusalsUntil(t);
    const { cell } = this.timeline.refusals;
    for (; heat.done < until; heat.done++) heat.scale = Math.max(heat.scale, ++heat.counts[heat.spot(cell[heat.done])]);
    for (; heat.done > until; heat.done--) heat.counts[heat.spot(cell[heat.done - 1])]--;
    if (!heat.scale) return;
    if (heat.version !== heat.done) {
      heat.version = heat.done;
      heat.canvas ||= new OffscreenCanvas(heat.wide, heat.high);
      const brush = heat.canvas.getContext("2d");
      heat.pixels ||= brush.createImageData(heat.wide, heat.high);
      const data = heat.pixels.data;
      const colours = this.theme.heat;
      const full = Math.log1p(heat.scale);
      for (let i = 0; i < heat.counts.length; i++) {
        const colour = heat.counts[i] ? 4 * (40 + Math.round((215 * Math.log1p(heat.counts[i])) / full)) : 0;
        for (let part = 0; part < 4; part++) data[4 * i + part] = colours[colour + part];
      }
      brush.putImageData(heat.pixels, 0, 0);
    }
    const size = view.scale * heat.step;
    pen.imageSmoothingEnabled = true;
    pen.drawImage(heat.canvas, view.screenX(0), view.screenY(0), heat.wide * size, heat.high * size);
  }

  // --- what agents leave behind and want

  // One path for each colour: `draw(pen, agent)` adds to it.
  strokeByColour(draw, alpha, width) {
    const { context: pen, theme, timeline } = this;
    pen.globalAlpha = alpha;
    pen.lineWidth = width;
    pen.lineCap = pen.lineJoin = "round";
    for (let hue = 0; hue < theme.agents.length; hue++) {
      pen.strokeStyle = theme.agents[hue];
      pen.beginPath();
      for (let agent = hue; agent < timeline.agents; agent += theme.agents.length) {
        if (this.isShown[agent]) draw(pen, agent);
      }
      pen.stroke();
    }
  }

  drawTrails(t, calm) {
    const width = Math.max(0.2 * this.view.scale, devicePixelRatio);
    for (const [part, alpha] of TRAIL_BANDS) {
      this.strokeByColour((pen, agent) => this.tracePath(pen, agent, t, TRAIL * part), alpha * calm * 1.6, width);
    }
  }

  // The agent's path during the last `length` time units, from where it is now.
  tracePath(pen, agent, t, length) {
    const { timeline, view } = this;
    pen.moveTo(this.xs[agent], this.ys[agent]);
    timeline.trail(agent, t, length, (x, y) => pen.lineTo(view.screenX(x + 0.5), view.screenY(y + 0.5)));
  }

  drawGoals(t, calm) {
    const { timeline, view } = this;
    const half = Math.max(0.23 * view.scale, 1.7 * devicePixelRatio);
    const mark = (pen, agent) => {
      const goal = timeline.goalOf(agent, t);
      if (goal === NOWHERE || timeline.isThere(agent, t)) return;
      const [x, y] = [view.screenX(timeline.x(goal) + 0.5), view.screenY(timeline.y(goal) + 0.5)];
      pen.moveTo(x, y - half * 1.3);
      pen.lineTo(x + half * 1.3, y);
      pen.lineTo(x, y + half * 1.3);
      pen.lineTo(x - half * 1.3, y);
      pen.closePath();
    };
    this.strokeByColour(mark, 0.85 * calm, Math.max(0.09 * view.scale, devicePixelRatio));
  }

  drawLines(t, calm) {
    const line = (pen, agent) => this.lineToGoal(pen, agent, t);
    this.strokeByColour(line, 0.3 * calm, Math.max(0.06 * this.view.scale, devicePixelRatio));
  }

  lineToGoal(pen, agent, t) {
    const { timeline, view } = this;
    const goal = timeline.goalOf(agent, t);
    if (goal === NOWHERE) return;
    pen.moveTo(this.xs[agent], this.ys[agent]);
    pen.lineTo(view.screenX(timeline.x(goal) + 0.5), view.screenY(timeline.y(goal) + 0.5));
  }

  // --- agents

  // On lanes agents are all of one colour: colours tell directions there.
  drawAgents(t, calm, isPlain, flash) {
    const { context: pen, timeline, view, theme } = this;
    if (this.isDense) {
      this.stampAgents(t, calm, isPlain, flash);
      return;
    }
    const { radius } = this;
    const sprites = this.spritesOf(radius);
    const half = sprites[0].width / 2;
    pen.globalAlpha = calm;
    for (let agent = 0; agent < timeline.agents; agent++) {
      const [x, y] = [this.xs[agent], this.ys[agent]];
      if (!this.isShown[agent] || x < -half || y < -half || x > view.wide + half || y > view.high + half) continue;
      const look = timeline.isReleased(agent, t) ? RELEASED : timeline.isThere(agent, t) ? THERE : GOING;
      const colour = isPlain ? theme.agents.length : agent % theme.agents.length;
      pen.drawImage(sprites[3 * colour + look], x - half, y - half);
    }
  }

  get isDense() {
    return this.timeline.agents >= DENSE && this.radius <= SMALL_DISC * devicePixelRatio && !this.bodies;
  }

  // Thousands of small discs, written pixel by pixel into one picture: many times faster than a drawing for each. A refusal is
  // a red ring.
  stampAgents(t, calm, isPlain, flash) {
    const { context: pen, timeline, view, theme, radius } = this;
    if (this.stamps?.width !== view.wide || this.stamps.height !== view.high) {
      this.stamps = new OffscreenCanvas(view.wide, view.high);
      this.stampImage = new ImageData(view.wide, view.high);
      this.stampPixels = new Uint32Array(this.stampImage.data.buffer);
    }
    const { stampPixels: pixels } = this;
    const { wide, high } = view;
    const ink = (colour) => inked([1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)), 1);
    const colours = [...theme.agents, theme.ink].map(ink);
    const floor = ink(theme.floor);
    const reach = Math.ceil(radius) + 1;
    const alarm = ink(theme.alarm);
    this.drawing++;
    const { time, agent: whose } = timeline.refusals;
    for (let i = timeline.refusalsUntil(t) - 1; i >= 0 && time[i] > t - flash; i--) this.flashed[whose[i]] = this.drawing;
    const disc = [];
    const middle = [];
    const ring = [];
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const far = Math.hypot(dx, dy);
        if (far > radius + 1.4) continue;
        if (far > radius + 0.3) ring.push(dy * wide + dx);
        else (far <= 0.45 * radius ? middle : disc).push(dy * wide + dx);
      }
    }
    pixels.fill(0);
    for (let agent = 0; agent < timeline.agents; agent++) {
      const [x, y] = [Math.round(this.xs[agent]), Math.round(this.ys[agent])];
      if (!this.isShown[agent] || x < reach || y < reach || x >= wide - reach || y >= high - reach) continue;
      const colour = colours[isPlain ? theme.agents.length : agent % theme.agents.length];
      const isHollow = timeline.isReleased(agent, t) || timeline.isThere(agent, t);
      const at = y * wide + x;
      if (this.flashed[agent] === this.drawing) for (let i = 0; i < ring.length; i++) pixels[at + ring[i]] = alarm;
      for (let i = 0; i < disc.length; i++) pixels[at + disc[i]] = colour;
      for (let i = 0; i < middle.length; i++) pixels[at + middle[i]] = isHollow ? floor : colour;
    }
    this.stamps.getContext("2d").putImageData(this.stampImage, 0, 0);
    pen.globalAlpha = calm;
    pen.drawImage(this.stamps, 0, 0);
  }

  // Discs by colour (the last is plain) and look: with a dot of the floor's colour for agents that have arrived, hollow for agents that
  // are out of our control.
  spritesOf(radius) {
    if (this.sprites.length && this.spriteRadius === radius) return this.sprites;
    this.spriteRadius = radius;
    const side = 2 * Math.ceil(radius + 2 * devicePixelRatio);
    const { floor, agents, ink } = this.theme;
    this.sprites = [...agents, ink].flatMap((colour) =>
      [GOING, THERE, RELEASED].map((look) => {
        const disc = new OffscreenCanvas(side, side);
        const pen = disc.getContext("2d");
        const circle = (size, fill) => {
          pen.fillStyle = fill;
          pen.beginPath();
          pen.arc(side / 2, side / 2, size, 0, 7);
          pen.fill();
        };
        circle(radius + Math.min(devicePixelRatio, 0.3 * radius), floor);
        circle(radius, colour);
        if (look === THERE) circle(radius * 0.4, floor);
        if (look === RELEASED) circle(radius * 0.72, floor);
        return disc.transferToImageBitmap();
      }),
    );
    return this.sprites;
  }

  // A refusal is a red ring that widens and fades; one for each agent, its latest.
  drawFlashes(t, flash) {
    if (this.isDense) return;
    const { context: pen, timeline, radius } = this;
    const { time, agent } = timeline.refusals;
    this.drawing++;
    pen.strokeStyle = this.theme.alarm;
    for (let i = timeline.refusalsUntil(t) - 1; i >= 0 && time[i] > t - flash; i--) {
      const whose = agent[i];
      if (this.flashed[whose] === this.drawing || !this.isShown[whose]) continue;
      this.flashed[whose] = this.drawing;
      const age = (t - time[i]) / flash;
      pen.globalAlpha = (1 - age) ** 0.7;
      pen.lineWidth = Math.max(0.16 * this.view.scale * (1 - 0.5 * age), 1.4 * devicePixelRatio);
      pen.beginPath();
      pen.arc(this.xs[whose], this.ys[whose], radius * (1.12 + 0.85 * age) + devicePixelRatio, 0, 7);
      pen.stroke();
    }
  }

  drawFollowed(t, agent) {
    const { context: pen, timeline, view, theme } = this;
    const radius = this.bodies ? this.bodies.size(agent) : this.radius;
    const [x, y, ratio] = [this.xs[agent], this.ys[agent], devicePixelRatio];
    pen.globalAlpha = 0.75;
    pen.strokeStyle = this.colour(agent);
    pen.lineCap = pen.lineJoin = "round";
    pen.lineWidth = Math.max(0.2 * view.scale, 1.5 * ratio);
    pen.beginPath();
    this.tracePath(pen, agent, t, LONG_TRAIL);
    pen.stroke();

    pen.globalAlpha = 1;
    const goal = timeline.goalOf(agent, t);
    if (goal !== NOWHERE && !timeline.isThere(agent, t)) {
      pen.strokeStyle = theme.ink;
      pen.lineWidth = Math.max(1, ratio);
      pen.setLineDash([4 * ratio, 4 * ratio]);
      pen.beginPath();
      this.lineToGoal(pen, agent, t);
      pen.stroke();
      pen.setLineDash([]);
      pen.lineWidth = 2 * ratio;
      const half = Math.max(0.34 * view.scale, 5 * ratio);
      const [gx, gy] = [view.screenX(timeline.x(goal) + 0.5), view.screenY(timeline.y(goal) + 0.5)];
      pen.beginPath();
      pen.moveTo(gx, gy - half);
      pen.lineTo(gx + half, gy);
      pen.lineTo(gx, gy + half);
      pen.lineTo(gx - half, gy);
      pen.closePath();
      pen.fillStyle = this.colour(agent);
      pen.fill();
      pen.stroke();
    }
    const disc = Math.max(radius, 4 * ratio);
    pen.fillStyle = this.colour(agent);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2 * ratio;
    pen.beginPath();
    pen.arc(x, y, disc, 0, 7);
    pen.fill();
    pen.stroke();
    this.drawLabel(String(agent), x, y, disc);
  }

  drawLabel(text, x, y, disc) {
    const { context: pen, view, theme } = this;
    const ratio = devicePixelRatio;
    pen.font = `600 ${12 * ratio}px system-ui, sans-serif`;
    const wide = pen.measureText(text).width + 12 * ratio;
    const high = 19 * ratio;
    const left = clamp(x - wide / 2, 2, view.wide - wide - 2);
    const above = y - disc - high - 5 * ratio;
    const top = above > 2 ? above : y + disc + 5 * ratio;
    pen.fillStyle = theme.ink;
    pen.beginPath();
    pen.roundRect(left, top, wide, high, high / 2);
    pen.fill();
    pen.fillStyle = theme.card;
    pen.textBaseline = "middle";
    pen.textAlign = "center";
    pen.fillText(text, left + wide / 2, top + high / 2 + 0.5 * ratio);
  }
}
