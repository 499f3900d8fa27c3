// Bodies: a timeline of discs in the plane, with headings and the states of brains, from the bytes that bodies.py wrote.

const NO_STATE = 255;
const GAP = 65535; // the place of a body that is not there
const NEAR = 1.5; // metres within which bodies count for the density around one
// persons on a square metre up to which each level of service reaches (Fruin, walkways), and its colours
const SERVICE = [
  ["A", 0.31, "#2c7bb6"],
  ["B", 0.43, "#5ab4ac"],
  ["C", 0.72, "#a6d96a"],
  ["D", 1.08, "#e8c22e"],
  ["E", 2.17, "#f08a3c"],
  ["F", Infinity, "#d7191c"],
];
const LAMPS = { green: "#1a9850", orange: "#f39c12", yellow: "#f39c12", red: "#d1242f" };
const VEHICLES = ["car", "bus", "tram", "truck", "vehicle"]; // kinds with an outline

class Bodies extends Timeline {
  constructor(head, buffer) {
    const { agents, width, height, bodies } = head;
    let at = 0;
    const words = (n) => new Uint32Array(buffer, (at += n * 4) - n * 4, n);
    const bytes = (n) => new Uint8Array(buffer, (at += n) - n, n);
    const first = words(agents);
    const framesOf = words(agents);
    at += agents * 4;
    const radii = new Float32Array(buffer, at - agents * 4, agents);
    const kindOf = bytes(agents);
    const columns = [0, 1].map(() => [bytes(bodies.rows), bytes(bodies.rows)]);
    const headings = bytes(bodies.rows);
    const states = bytes(bodies.rows);
    const lampStates = bytes(bodies.frames * bodies.lamps.length);
    const walls = unpackBits(bytes((width * height + 7) >> 3), width * height);
    super(head, stillLog(head, walls));
    Object.assign(this, { bodies, radii, kindOf, headings, states, lampStates, framesOf });
    this.firstFrame = first;
    this.firstRow = new Uint32Array(agents + 1);
    for (let agent = 0; agent < agents; agent++) this.firstRow[agent + 1] = this.firstRow[agent] + framesOf[agent];
    [this.bodyX, this.bodyY] = columns.map((pair) => this.summed(pair));
    const present = new Steps();
    for (let agent = 0; agent < agents; agent++) {
      if (!framesOf[agent]) continue;
      present.add(first[agent], 1);
      if (first[agent] + framesOf[agent] < bodies.frames) present.add(first[agent] + framesOf[agent], -1);
    }
    this.present = present.summed(this.tick);
  }

  // Places from differences, as whole steps.
  summed([low, high]) {
    const result = new Uint16Array(low.length);
    for (let agent = 0; agent < this.agents; agent++) {
      let sum = 0;
      for (let row = this.firstRow[agent]; row < this.firstRow[agent + 1]; row++) {
        sum = (sum + low[row] + 256 * high[row]) & 0xffff;
        result[row] = sum;
      }
    }
    return result;
  }

  // The row of the agent's frame at or before `t`; -1 if it is not there.
  rowAt(agent, t) {
    const frame = Math.min(Math.floor(t / this.bodies.seconds + 1e-6), this.bodies.frames - 1) - this.firstFrame[agent];
    if (frame < 0 || frame >= this.framesOf[agent]) return -1;
    const row = this.firstRow[agent] + frame;
    return this.bodyX[row] === GAP ? -1 : row;
  }

  // In cells, so that the middle of the cell (x, y) is (x, y).
  position(agent, t, out) {
    const row = this.rowAt(agent, t);
    if (row < 0) return false;
    const { seconds, steps } = this.bodies;
    const part = clamp(t / seconds - Math.floor(t / seconds + 1e-6), 0, 1);
    const next = row + 1 < this.firstRow[agent + 1] && this.bodyX[row + 1] !== GAP ? row + 1 : row;
    out.x = (this.bodyX[row] + part * (this.bodyX[next] - this.bodyX[row])) / steps - 0.5;
    out.y = (this.bodyY[row] + part * (this.bodyY[next] - this.bodyY[row])) / steps - 0.5;
    return true;
  }

  headingOf(agent, t) {
    const row = this.rowAt(agent, t);
    return row < 0 ? 0 : (this.headings[row] * Math.PI) / 128;
  }

  // The name of the brain's state, if it has one.
  stateOf(agent, t) {
    const row = this.rowAt(agent, t);
    return row < 0 || this.states[row] === NO_STATE ? -1 : this.states[row];
  }

  lampState(lamp, t) {
    const frame = clamp(Math.floor(t / this.bodies.seconds + 1e-6), 0, this.bodies.frames - 1);
    return this.bodies.states[this.lampStates[frame * this.bodies.lamps.length + lamp]] || "";
  }

  // Metres a second, over the frame that `t` is in.
  speedOf(agent, t) {
    const row = this.rowAt(agent, t);
    if (row < 0 || row + 1 >= this.firstRow[agent + 1] || this.bodyX[row + 1] === GAP) return 0;
    const { seconds, steps, cell } = this.bodies;
    return (Math.hypot(this.bodyX[row + 1] - this.bodyX[row], this.bodyY[row + 1] - this.bodyY[row]) * cell) / steps / seconds;
  }

  // The level of service of each agent that is there: how many are near it, itself included.
  services(t, out) {
    const reach = NEAR / this.bodies.cell;
    const area = Math.PI * NEAR * NEAR;
    const place = { x: 0, y: 0 };
    const buckets = new Map();
    const where = [];
    for (let agent = 0; agent < this.agents; agent++) {
      out[agent] = 0;
      if (!this.position(agent, t, place) || this.isVehicle(agent)) continue;
      const key = Math.floor(place.x / reach) + 65536 * Math.floor(place.y / reach);
      where.push([agent, place.x, place.y, key]);
      if (buckets.has(key)) buckets.get(key).push(where.length - 1);
      else buckets.set(key, [where.length - 1]);
    }
    for (const [agent, x, y, key] of where) {
      let n = 0;
      for (const across of [-1, 0, 1]) {
        for (const down of [-65536, 0, 65536]) {
          for (const other of buckets.get(key + across + down) || []) {
            if ((where[other][1] - x) ** 2 + (where[other][2] - y) ** 2 <= reach * reach) n++;
          }
        }
      }
      out[agent] = SERVICE.findIndex(([, most]) => n / area <= most);
    }
  }

  trail(agent, t, length, add) {
    const { steps, seconds } = this.bodies;
    const row = this.rowAt(agent, t);
    const last = Math.max(this.firstRow[agent], row - Math.floor(length / seconds));
    const stride = Math.max(1, Math.round(0.2 / seconds));
    for (let i = row; i >= last && this.bodyX[i] !== GAP; i -= stride) add(this.bodyX[i] / steps - 0.5, this.bodyY[i] / steps - 0.5);
  }

  isVehicle(agent) {
    return VEHICLES.includes(this.bodies.kinds[this.kindOf[agent]]);
  }
}

// A log in which nothing happens.
function stillLog(head, walls) {
  const none = new Uint32Array(0);
  return {
    kinds: Object.fromEntries(head.kinds.map((name, number) => [name, number])),
    begin: new Int32Array(head.agents).fill(NOWHERE),
    first: new Uint32Array(head.agents + 1),
    ticks: none,
    kind: none,
    cell: none,
    changeTicks: none,
    changeCells: none,
    blocks: new Uint8Array(0),
    walls,
  };
}

// BodyPainter: draws the bodies of a panel, its lamps and its walls between cells.
class BodyPainter {
  constructor(painter, timeline) {
    Object.assign(this, { painter, timeline });
    this.levels = new Uint8Array(timeline.agents);
  }

  // The colour of a body: that of its level of service, its brain's state, or its kind.
  colour(agent, t, isOfService) {
    const { agents } = this.painter.theme;
    if (isOfService && !this.timeline.isVehicle(agent)) return SERVICE[this.levels[agent]][2];
    const state = this.timeline.stateOf(agent, t);
    return stateColour(state < 0 ? "" : this.timeline.bodies.states[state], state < 0 ? this.timeline.kindOf[agent] : state, agents);
  }

  draw(t, calm, isOfService) {
    const { painter, timeline } = this;
    const { context: pen, view, theme, xs, ys, isShown } = painter;
    if (timeline.agents > this.levels.length) this.levels = new Uint8Array(2 * timeline.agents);
    if (isOfService) timeline.services(t, this.levels);
    this.drawWalls(pen, view, theme);
    pen.globalAlpha = calm;
    for (let agent = 0; agent < timeline.agents; agent++) {
      if (!isShown[agent]) continue;
      const size = this.size(agent);
      const [x, y] = [xs[agent], ys[agent]];
      if (x < -size || y < -size || x > view.wide + size || y > view.high + size) continue;
      pen.fillStyle = this.colour(agent, t, isOfService);
      pen.beginPath();
      pen.arc(x, y, size, 0, 7);
      pen.fill();
      if (timeline.isVehicle(agent)) {
        pen.strokeStyle = theme.ink;
        pen.lineWidth = Math.max(1, 0.12 * size);
        pen.stroke();
      }
      if (size < 3 * devicePixelRatio) continue;
      const way = timeline.headingOf(agent, t);
      pen.strokeStyle = theme.floor;
      pen.lineWidth = Math.max(1, 0.28 * size);
      pen.beginPath();
      pen.moveTo(x + 0.25 * size * Math.cos(way), y + 0.25 * size * Math.sin(way));
      pen.lineTo(x + 0.9 * size * Math.cos(way), y + 0.9 * size * Math.sin(way));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    this.drawLamps(t, pen, view, theme);
  }

  size(agent) {
    return Math.max(this.timeline.radii[agent] * this.painter.view.scale, 1.7 * devicePixelRatio);
  }

  drawWalls(pen, view, theme) {
    pen.globalAlpha = 1;
    pen.strokeStyle = theme.quiet;
    pen.lineWidth = 2 * devicePixelRatio;
    pen.beginPath();
    for (const [x1, y1, x2, y2] of this.timeline.bodies.walls) {
      pen.moveTo(view.screenX(x1), view.screenY(y1));
      pen.lineTo(view.screenX(x2), view.screenY(y2));
    }
    pen.stroke();
  }

  drawLamps(t, pen, view, theme) {
    const size = Math.max(0.2 * view.scale, 5 * devicePixelRatio);
    this.timeline.bodies.lamps.forEach(([x, y], lamp) => {
      pen.fillStyle = LAMPS[this.timeline.lampState(lamp, t)] || theme.quiet;
      pen.strokeStyle = theme.ink;
      pen.lineWidth = 0.3 * size;
      pen.beginPath();
      pen.arc(view.screenX(x), view.screenY(y), size, 0, 7);
      pen.stroke();
      pen.fill();
    });
  }
}

// States that say what a body may do have the colours of a traffic light; others the colours of agents.
function stateColour(name, number, colours) {
  return LAMPS[name] || colours[number % colours.length];
}

// Legend beside the map: how many are in each state or kind, or at each level of service.
class BodyLegend {
  constructor(root, timeline, replay) {
    Object.assign(this, { root, timeline, replay });
    this.section = document.createElement("section");
    this.caption = this.section.appendChild(document.createElement("p"));
    this.caption.className = "caption";
    this.list = this.section.appendChild(document.createElement("ul"));
    this.list.className = "kinds";
    root.append(this.section);
    root.hidden = false;
  }

  tell(t, painter) {
    const { timeline, replay } = this;
    const { bodies } = timeline;
    const rows = new Map();
    const count = (name, colour) => {
      if (!rows.has(name)) rows.set(name, [0, colour]);
      rows.get(name)[0]++;
    };
    const isOfService = replay.show.service;
    if (isOfService) for (const [name, , colour] of SERVICE) rows.set(name, [0, colour]);
    for (let agent = 0; agent < timeline.agents; agent++) {
      if (timeline.rowAt(agent, t) < 0) continue;
      const state = timeline.stateOf(agent, t);
      if (!isOfService) {
        const kind = bodies.kinds[timeline.kindOf[agent]];
        count(state < 0 ? kind : `${kind}: ${bodies.states[state]}`, painter.colour(agent, t, false));
      } else if (!timeline.isVehicle(agent)) count(SERVICE[painter.levels[agent]][0], SERVICE[painter.levels[agent]][2]);
    }
    const caption = isOfService ? "Level of service (persons within 1.5 m)" : "Bodies";
    const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
    const key = caption + sorted.map(([name, [n, colour]]) => name + n + colour).join();
    if (this.key === key) return;
    this.key = key;
    this.caption.textContent = caption;
    this.list.replaceChildren(
      ...sorted.map(([name, [n, colour]]) => {
        const item = document.createElement("li");
        item.style.setProperty("--tone", colour);
        item.style.setProperty("--strength", 1);
        item.append(name, Object.assign(document.createElement("b"), { textContent: number.format(n) }));
        return item;
      }),
    );
  }
}
