// The page: one clock, the panels it drives, and the controls that drive it.

const UNITS_PER_SECOND = 4; // time units in a second at speed 1
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const PATIENCE = 75; // seconds a replay should take at the speed it opens with

const CROWD = 400; // more agents than this, and goals and trails hide more than they show

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");

const clockText = (t, inSteps) => (inSteps ? number.format(Math.floor(t + 1e-9)) : t.toFixed(1));

class Replay {
  constructor(heads, timelines) {
    this.hasRefusals = timelines.some((timeline) => timeline.refusals.time.length);
    this.panels = heads.map((head, i) => new Panel(this, head, timelines[i]));
    this.end = Math.max(...timelines.map((timeline) => timeline.end));
    this.inSteps = timelines.every((timeline) => timeline.inSteps);
    this.time = 0;
    this.isPlaying = false;
    this.isLooping = false;
    this.follow = -1;
    this.keepsInView = true;
    const isCrowd = timelines.some((timeline) => timeline.agents > CROWD);
    this.show = { goals: !isCrowd, lines: false, trails: !isCrowd, heat: false };
    this.speed = SPEEDS.find((speed) => speed >= 1 && this.end <= speed * UNITS_PER_SECOND * PATIENCE) || 64;
    const hottest = Math.max(...this.panels.map((panel) => panel.painter.heat.most));
    for (const panel of this.panels) panel.painter.heat.scale = hottest;
    this.asked = 0;
  }

  get mostAgents() {
    return Math.max(...this.panels.map((panel) => panel.timeline.agents));
  }

  seek(t) {
    this.time = clamp(t, 0, this.end);
    this.ask();
  }

  // From one whole time to the next, so that a step after a pause between two lands on one.
  step(by) {
    this.pause();
    this.seek(by > 0 ? Math.floor(this.time + 1e-9) + by : Math.ceil(this.time - 1e-9) + by);
  }

  play() {
    if (this.time >= this.end) this.time = 0;
    this.isPlaying = true;
    this.last = performance.now();
    this.ask();
  }

  pause() {
    this.isPlaying = false;
    this.ask();
  }

  followAgent(agent) {
    this.follow = agent;
    this.keepsInView = true;
    this.ask();
  }

  // Do something to a panel's view, and to those of maps of the same size.
  look(panel, change, isPan = false) {
    if (isPan) this.keepsInView = false;
    for (const other of this.panels) if (other.looksLike(panel)) change(other.view);
    this.ask();
  }

  ask() {
    this.asked ||= requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.asked = 0;
    if (this.isPlaying) {
      const seconds = Math.min(Math.max(now - this.last, 0), 100) / 1000;
      this.last = now;
      this.time += seconds * this.speed * UNITS_PER_SECOND;
      if (this.time >= this.end) {
        this.time = this.isLooping ? 0 : this.end;
        this.isPlaying = this.isLooping;
      }
    }
    for (const panel of this.panels) panel.draw();
    this.deck.update();
    if (this.isPlaying) this.ask();
  }
}

class Panel {
  constructor(replay, head, timeline) {
    Object.assign(this, { replay, timeline });
    const node = byId("panel").content.cloneNode(true);
    this.root = node.querySelector(".panel");
    this.root.querySelector("h2").textContent = head.title;
    this.root.setAttribute("aria-label", head.title || "Replay");
    this.canvas = this.root.querySelector(".stage canvas");
    this.canvas.setAttribute("aria-label", this.describe(head));
    this.followed = this.root.querySelector(".followed");
    fillList(this.root.querySelector(".facts"), head.facts);
    this.view = new View(timeline.width, timeline.height);
    this.painter = new Painter(this.canvas, timeline, this.view);
    this.makeCounters();
    this.strip = new Strip(this.root.querySelector(".strip"), timeline, replay);
    handle(this.canvas, this.view, {
      act: (change, isPan) => replay.look(this, change, isPan),
      choose: (px, py) => this.choose(px, py),
    });
    byId("panels").append(node);
  }

  describe({ title, width, height, agents }) {
    return `${title || "Replay"}: ${number.format(agents)} agents on a map of ${width} by ${height} cells`;
  }

  makeCounters() {
    const { timeline } = this;
    const names = [["time", timeline.inSteps ? "Step" : "Time"]];
    names.push(timeline.tasks.time.length ? ["arrived", "Arrived"] : ["present", "Agents"]);
    if (timeline.reached.last > timeline.agents) names.push(["reached", "Goals reached"]);
    if (this.replay.hasRefusals) names.push(["refused", "Collisions"]);
    const list = this.root.querySelector(".counters");
    this.counters = {};
    for (const [key, label] of names) this.counters[key] = addPair(list, label, "");
  }

  looksLike(other) {
    return this.timeline.width === other.timeline.width && this.timeline.height === other.timeline.height;
  }

  get time() {
    return Math.min(this.replay.time, this.timeline.end);
  }

  draw() {
    const { replay, timeline, time } = this;
    const inView = { x: 0, y: 0 };
    if (replay.follow >= 0 && replay.keepsInView && this.view.zoom > 1 && replay.follow < timeline.agents) {
      if (timeline.position(replay.follow, time, inView)) this.view.centre(inView.x + 0.5, inView.y + 0.5);
    }
    this.canvas.classList.toggle("near", this.view.zoom > 1);
    // at high speed a refusal would be gone within a frame: it is seen for at least a fifth of a second
    const flash = Math.max(1.5, replay.isPlaying ? 0.2 * replay.speed * UNITS_PER_SECOND : 0);
    const follow = replay.follow < timeline.agents ? replay.follow : -1;
    this.painter.draw(time, { show: replay.show, flash, follow });
    this.tell(time, follow);
    this.strip.draw(replay.time, replay.end);
  }

  tell(t, follow) {
    const { timeline, counters } = this;
    const present = timeline.present.at(t);
    setParts(counters.time, clockText(t, timeline.inSteps));
    if (counters.present) setParts(counters.present, number.format(present));
    if (counters.arrived) {
      setParts(counters.arrived, number.format(timeline.arrived.at(t)), ` / ${number.format(present)}`);
    }
    if (counters.reached) setParts(counters.reached, number.format(timeline.reached.at(t)));
    if (counters.refused) {
      const refused = timeline.refusalsUntil(t);
      setParts(counters.refused, number.format(refused));
      counters.refused.parentNode.classList.toggle("alarm", refused > 0);
    }
    this.tellFollowed(t, follow);
  }

  tellFollowed(t, agent) {
    const { timeline } = this;
    const words = [];
    if (agent >= 0) {
      const spot = (cell) => `(${timeline.x(cell)}, ${timeline.y(cell)})`;
      const [here, goal] = [timeline.cellOf(agent, t), timeline.goalOf(agent, t)];
      words.push(here === NOWHERE ? "not in the world" : `at ${spot(here)}`);
      if (goal !== NOWHERE) words.push(timeline.isThere(agent, t) ? "arrived" : `goal ${spot(goal)}`);
      if (timeline.releasedAt[agent] <= t) words.push("out of control");
      const refused = timeline.refusalsOf(agent, t);
      if (this.replay.hasRefusals) words.push(`${number.format(refused)} collision${refused === 1 ? "" : "s"}`);
      this.followed.style.setProperty("--hue", this.painter.colour(agent));
    }
    const text = agent < 0 ? "Click an agent to follow it" : [`Agent ${agent}`, ...words].join("\n");
    if (this.followed.dataset.text === text) return;
    this.followed.dataset.text = text;
    this.followed.classList.toggle("nobody", agent < 0);
    this.followed.replaceChildren(
      ...text.split("\n").map((word, i) => {
        const part = document.createElement(i || agent < 0 ? "span" : "b");
        part.textContent = word;
        return part;
      }),
    );
  }

  // Follow the agent nearest to the pixel, or nobody if none is near.
  choose(px, py) {
    const { painter, timeline, view } = this;
    const reach = Math.max(0.75 * view.scale, 14 * devicePixelRatio);
    let nearest = -1;
    let best = reach * reach;
    painter.locate(this.time);
    for (let agent = 0; agent < timeline.agents; agent++) {
      const apart = (painter.xs[agent] - px) ** 2 + (painter.ys[agent] - py) ** 2;
      if (painter.isShown[agent] && apart < best) [nearest, best] = [agent, apart];
    }
    this.replay.followAgent(nearest);
  }

  // The height of everything but the map.
  get heightOfWords() {
    const frame = 30;
    if (this.isBeside) return frame;
    const [title, counters, , side] = [...this.root.children].map((part) => part.offsetHeight);
    return frame + (this.isNarrow ? title + counters + 30 : Math.max(title, counters) + 20) + side;
  }

  resize(highest) {
    const wide = this.canvas.parentNode.clientWidth;
    const high = Math.round(Math.min((wide * this.timeline.height) / this.timeline.width, highest));
    const ratio = devicePixelRatio;
    const size = [Math.max(1, Math.round(wide * ratio)), Math.max(1, Math.round(high * ratio))];
    this.canvas.style.height = `${high}px`;
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      [this.canvas.width, this.canvas.height] = size;
      this.view.resize(...size);
    }
    this.strip.resize();
  }
}

// Collisions over time as small bars; all panels share one scale. A click goes there.
class Strip {
  constructor(figure, timeline, replay) {
    Object.assign(this, { figure, timeline, replay, canvas: figure.querySelector("canvas"), drawn: "" });
    figure.hidden = !replay.hasRefusals;
    const go = (event) => {
      const box = this.canvas.getBoundingClientRect();
      replay.seek(((event.clientX - box.left) / box.width) * replay.end);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && go(event));
  }

  resize() {
    if (this.figure.hidden) return;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * devicePixelRatio));
    this.canvas.height = Math.round(this.canvas.clientHeight * devicePixelRatio);
    const bars = Math.max(1, Math.floor(this.canvas.clientWidth / 4));
    this.bars = new Uint32Array(bars);
    for (const time of this.timeline.refusals.time) {
      this.bars[Math.min(Math.floor((time / this.replay.end) * bars), bars - 1)]++;
    }
    this.highest = this.bars.reduce((a, b) => Math.max(a, b), 0);
  }

  draw(t, end) {
    if (this.figure.hidden) return;
    const pen = this.canvas.getContext("2d");
    const { width, height } = this.canvas;
    const { theme } = this.replay;
    const tallest = Math.max(1, ...this.replay.panels.map((panel) => panel.strip.highest || 0));
    const step = width / this.bars.length;
    const gap = Math.max(1, Math.round(devicePixelRatio));
    const base = height - gap;
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = theme.edge;
    pen.fillRect(0, base, width, gap);
    pen.fillStyle = theme.alarm;
    for (let i = 0; i < this.bars.length; i++) {
      if (!this.bars[i]) continue;
      const tall = Math.max(gap, Math.round((this.bars[i] / tallest) * (base - 1)));
      pen.globalAlpha = (i / this.bars.length) * end <= t ? 0.85 : 0.28;
      pen.fillRect(Math.round(i * step), base - tall, Math.max(1, Math.round(step) - gap), tall);
    }
    pen.globalAlpha = 1;
    pen.fillStyle = theme.ink;
    pen.fillRect(clamp(Math.round((t / end) * width), 0, width - gap), 0, gap, height);
  }
}

function addPair(list, name, value) {
  const row = document.createElement("div");
  const term = document.createElement("dt");
  const detail = document.createElement("dd");
  term.textContent = name;
  detail.textContent = value;
  row.append(term, detail);
  list.append(row);
  return detail;
}

function fillList(list, pairs) {
  for (const [name, value] of pairs) addPair(list, name, value);
}

// A number, and a smaller one behind it; the page is touched only when they change.
function setParts(node, text, small = "") {
  if (node.dataset.text === text + small) return;
  node.dataset.text = text + small;
  node.textContent = text;
  if (!small) return;
  const part = document.createElement("small");
  part.textContent = small;
  node.append(part);
}

class Deck {
  constructor(replay) {
    this.replay = replay;
    const { panels } = replay;
    byId("scrub").max = replay.end;
    byId("scrub").addEventListener("input", (event) => replay.seek(Number(event.target.value)));
    for (const speed of SPEEDS) byId("speed").add(new Option(`${speed}\u00d7`, speed));
    byId("speed").value = replay.speed;
    byId("speed").addEventListener("change", (event) => this.setSpeed(Number(event.target.value)));
    const hasGoals = panels.some((panel) => panel.timeline.tasks.time.length);
    this.switches = [...document.querySelectorAll("[data-show]")];
    for (const button of this.switches) {
      const what = button.dataset.show;
      button.hidden = what === "heat" ? !replay.hasRefusals : what !== "trails" && !hasGoals;
      button.addEventListener("click", () => this.toggle(what));
    }
    const clicks = {
      play: () => (replay.isPlaying ? replay.pause() : replay.play()),
      restart: () => replay.seek(0),
      back: () => replay.step(-1),
      forward: () => replay.step(1),
      loop: () => this.toggleLoop(),
      help: () => byId("keys").showModal(),
      unfollow: () => replay.followAgent(-1),
    };
    for (const [id, click] of Object.entries(clicks)) byId(id).addEventListener("click", click);
    byId("find").addEventListener("submit", (event) => this.find(event));
    byId("agent").addEventListener("input", () => byId("agent").classList.remove("unknown"));
    // after a click with the mouse, space is for playing again
    document.addEventListener("click", (event) => {
      if (event.detail && event.target.closest("button, select")) document.activeElement.blur();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    byId("deck").hidden = false;
  }

  setSpeed(speed) {
    this.replay.speed = speed;
    this.replay.ask();
  }

  toggle(what) {
    this.replay.show[what] = !this.replay.show[what];
    this.replay.ask();
  }

  toggleLoop() {
    this.replay.isLooping = !this.replay.isLooping;
    this.replay.ask();
  }

  find(event) {
    event.preventDefault();
    const text = byId("agent").value.trim();
    const agent = Number(text);
    const isKnown = /^\d+$/.test(text) && agent < this.replay.mostAgents;
    byId("agent").classList.toggle("unknown", Boolean(text) && !isKnown);
    if (isKnown || !text) this.replay.followAgent(isKnown ? agent : -1);
    if (isKnown) byId("agent").blur();
  }

  update() {
    const { replay } = this;
    const t = clockText(replay.time, replay.inSteps);
    const scrub = byId("scrub");
    scrub.value = replay.time;
    scrub.style.setProperty("--done", `${replay.end ? (100 * replay.time) / replay.end : 100}%`);
    const end = clockText(replay.end, replay.inSteps);
    scrub.setAttribute("aria-valuetext", `${t} of ${end}`);
    setParts(byId("clock"), t, ` / ${end}`);
    byId("speed").value = replay.speed;
    byId("play").setAttribute("aria-label", replay.isPlaying ? "Pause" : "Play");
    document.body.classList.toggle("playing", replay.isPlaying);
    byId("loop").setAttribute("aria-pressed", replay.isLooping);
    for (const button of this.switches) button.setAttribute("aria-pressed", replay.show[button.dataset.show]);
    byId("unfollow").hidden = replay.follow < 0;
    if (document.activeElement !== byId("agent")) byId("agent").value = replay.follow < 0 ? "" : replay.follow;
  }

  key(event) {
    const { replay } = this;
    const isOn = (selector) => event.target instanceof Element && event.target.matches(selector);
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    if (event.key === "Escape") {
      document.activeElement.blur();
      replay.followAgent(-1);
      return;
    }
    if (isOn("#agent, select") || (event.key === " " && isOn("button"))) return;
    const first = replay.panels[0];
    const zoom = (by) => replay.look(first, (view) => view.zoomBy(by, view.wide / 2, view.high / 2));
    const pan = (dx, dy) => replay.look(first, (view) => view.panBy((dx * view.wide) / 8, (dy * view.high) / 8), true);
    const faster = (by) => this.setSpeed(SPEEDS[clamp(SPEEDS.indexOf(replay.speed) + by, 0, SPEEDS.length - 1)]);
    const actions = {
      " ": () => (replay.isPlaying ? replay.pause() : replay.play()),
      arrowleft: () => replay.step(event.shiftKey ? -10 : -1),
      arrowright: () => replay.step(event.shiftKey ? 10 : 1),
      home: () => replay.seek(0),
      end: () => replay.seek(replay.end),
      "[": () => faster(-1),
      "]": () => faster(1),
      g: () => this.toggle("goals"),
      l: () => this.toggle("lines"),
      t: () => this.toggle("trails"),
      h: () => this.toggle("heat"),
      o: () => this.toggleLoop(),
      f: () => byId("agent").select(),
      "+": () => zoom(1.4),
      "=": () => zoom(1.4),
      "-": () => zoom(1 / 1.4),
      0: () => replay.look(first, (view) => view.reset()),
      w: () => pan(0, 1),
      a: () => pan(1, 0),
      s: () => pan(0, -1),
      d: () => pan(-1, 0),
      "?": () => byId("keys").showModal(),
    };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function arrange(replay) {
  const n = replay.panels.length;
  const columns = innerWidth <= 720 ? 1 : n === 4 && innerWidth < 1200 ? 2 : n;
  document.body.classList.toggle("solo", n === 1);
  byId("panels").style.setProperty("--columns", columns);
  for (const panel of replay.panels) {
    panel.isBeside = n === 1 && innerWidth >= 860;
    panel.isNarrow = !panel.isBeside && panel.root.clientWidth < 500;
    panel.root.classList.toggle("narrow", panel.isNarrow);
  }
  // a row of maps takes the height that the rest of the page leaves, if that is enough to see something
  const room = innerHeight - byId("deck").offsetHeight - byId("panels").offsetTop - 14;
  const words = Math.max(...replay.panels.map((panel) => panel.heightOfWords));
  const highest = columns === n && innerWidth > 720 ? room - words : room * 0.8;
  for (const panel of replay.panels) panel.resize(Math.max(highest, 300));
  replay.ask();
}

// For tests and the curious: what is where, and when.
function inspection(replay) {
  const timelineOf = (panel) => replay.panels[panel].timeline;
  return Object.freeze({
    panels: replay.panels.length,
    end: replay.end,
    now: () => replay.time,
    speed: () => replay.speed,
    following: () => replay.follow,
    seek: (t) => replay.seek(t),
    play: () => replay.play(),
    pause: () => replay.pause(),
    follow: (agent) => replay.followAgent(agent),
    view: (panel) => {
      const { x, y, zoom } = replay.panels[panel].view;
      return { x, y, zoom };
    },
    positionsAt: (panel, t) => {
      const out = { x: 0, y: 0 };
      const timeline = timelineOf(panel);
      const agents = Array.from({ length: timeline.agents }, (_, agent) => agent);
      return agents.map((agent) => (timeline.position(agent, t, out) ? [out.x, out.y] : null));
    },
    goalsAt: (panel, t) => {
      const timeline = timelineOf(panel);
      return Array.from({ length: timeline.agents }, (_, agent) => {
        const goal = timeline.goalOf(agent, t);
        return goal === NOWHERE ? null : [timeline.x(goal), timeline.y(goal)];
      });
    },
    countsAt: (panel, t) => {
      const timeline = timelineOf(panel);
      const [arrived, present] = [timeline.arrived.at(t), timeline.present.at(t)];
      return { arrived, present, reached: timeline.reached.at(t), collisions: timeline.refusalsUntil(t) };
    },
    wallsAt: (panel, t) => {
      const timeline = timelineOf(panel);
      timeline.moveWalls(t, (index) => replay.panels[panel].painter.wallChanged(index));
      return Array.from(timeline.walls);
    },
  });
}

async function open() {
  if (!("DecompressionStream" in window)) throw new Error("this browser is too old: it cannot unpack gzip");
  const heads = JSON.parse(byId("data").textContent);
  const buffers = await Promise.all(heads.map((head) => inflate(head.body)));
  const timelines = heads.map((head, i) => new Timeline(head, unpack(head, buffers[i])));
  byId("notice").remove();
  const replay = new Replay(heads, timelines);
  replay.deck = new Deck(replay);
  const dress = () => {
    replay.theme = readTheme();
    for (const panel of replay.panels) panel.painter.setTheme(replay.theme);
    replay.ask();
  };
  dress();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
  arrange(replay);
  new ResizeObserver(() => arrange(replay)).observe(byId("panels"));
  addEventListener("resize", () => arrange(replay));
  window.wayfolk = inspection(replay);
}

open().catch((error) => {
  const notice = byId("notice") || byId("panels").appendChild(document.createElement("p"));
  notice.textContent = `The replay could not be opened: ${error.message}.`;
  throw error;
});
