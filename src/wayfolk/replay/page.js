// The page: one clock, and the panels it drives.

const UNITS_PER_SECOND = 4; // time units in a second at speed 1
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const SEARCH_SPEEDS = [...SPEEDS, 128, 256, 512, 1024, 2048, 4096, 8192]; // expansions are many
const PATIENCE = 75; // seconds a replay should take at the speed it opens with
const SEARCH_PATIENCE = 20; // and that of a search
const CROWD = 400; // more agents than this, and goals and trails hide more than they show; on lanes they always do

class Replay {
  constructor(heads, timelines, layers) {
    this.asked = 0;
    this.isLooping = false;
    this.load(heads, timelines, layers);
  }

  load(heads, timelines, layers) {
    const isOfMoves = (timeline) => timeline.isLive && !timeline.bodies;
    this.hasRefusals = timelines.some((timeline) => isOfMoves(timeline) || timeline.refusals.time.length);
    this.hasMoves = timelines.some((timeline) => isOfMoves(timeline) || timeline.places.span.some((span) => span > 0));
    this.hasGoals = timelines.some((timeline) => timeline.isLive || timeline.tasks.time.length);
    this.panels = heads.map((head, i) => this.makePanel(head, timelines[i], layers[i]));
    this.layers = [...new Set(layers.flatMap(({ cells, marks }) => [...cells.keys(), ...marks.keys()]))];
    this.end = Math.max(...timelines.map((timeline) => timeline.end));
    this.inSteps = timelines.every((timeline) => timeline.inSteps);
    this.time = 0;
    this.isPlaying = false;
    this.follow = -1;
    this.pointed = null; // the cell under the pointer, in a panel
    this.searches = timelines.map((timeline) => timeline.search).filter(Boolean);
    this.speeds = this.searches.length ? SEARCH_SPEEDS : SPEEDS;
    this.keepsInView = true;
    const isCrowd = timelines.some((timeline) => timeline.agents > CROWD);
    const isOfLanes = heads.some((head) => head.lanes.coherence.length);
    const isCalm = !isCrowd && !isOfLanes;
    const isOfBodies = timelines.every((timeline) => timeline instanceof Bodies);
    this.show = { goals: isCalm, lines: false, trails: isCalm && !isOfBodies, heat: false, density: false, lanes: isOfLanes, service: false };
    this.hasBodies = timelines.some((timeline) => timeline instanceof Bodies);
    this.pace = isOfBodies ? 1 : UNITS_PER_SECOND; // time units in a second at speed 1: bodies move in seconds
    // the levels of an abstraction hide each other: the first is shown
    this.layers.forEach((title, i) => (this.show[layerSwitch(title)] = !this.searches.length || i === 0));
    Object.assign(this.show, { cells: true, scans: true, learned: true, route: true });
    const patience = this.searches.length ? SEARCH_PATIENCE : PATIENCE;
    this.speed = this.speeds.find((speed) => speed >= 1 && this.end <= speed * this.pace * patience) || this.speeds.at(-1);
    const hottest = Math.max(...this.panels.map((panel) => panel.painter.heat.most));
    for (const panel of this.panels) panel.painter.heat.scale = hottest;
  }

  makePanel(head, timeline, layers) {
    return new Panel(this, head, timeline, layers);
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

  point(panel, index) {
    this.pointed = index >= 0 ? { panel, index } : null;
    this.ask();
  }

  atEnd() {
    this.time = this.isLooping ? 0 : this.end;
    this.isPlaying = this.isLooping;
  }

  ask() {
    this.asked ||= requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.asked = 0;
    if (this.isPlaying) {
      const seconds = Math.min(Math.max(now - this.last, 0), 100) / 1000;
      this.last = now;
      this.time += seconds * this.speed * this.pace;
      if (this.time >= this.end) this.atEnd();
    }
    for (const panel of this.panels) panel.draw();
    this.deck.update();
    if (this.isPlaying) this.ask();
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
    vectorsAt: (panel, t) => {
      const { arrows } = replay.panels[panel].painter;
      arrows.moveTo(t);
      return Array.from(arrows.lanes.x, (x, index) => [x, arrows.lanes.y[index]]);
    },
    searchAt: (panel, t) => {
      const { search } = timelineOf(panel);
      replay.panels[panel].painter.search.moveTo(t);
      const numbers = (name) => Array.from(search[name], (value) => (Number.isFinite(value) ? value : null));
      return { state: Array.from(search.state), g: numbers("g"), h: numbers("h"), learned: numbers("learned"),
        scanned: search.nScanned, expanded: search.nExpanded };
    },
    describe: (panel, x, y) => timelineOf(panel).search.describe(y * timelineOf(panel).width + x),
    isShown: (what) => replay.show[what] ?? replay.show[layerSwitch(what)],
    areasAt: (panel, title, t) => {
      const layer = replay.panels[panel].painter.areas.get(title).at(t);
      if (!layer) return null;
      const column = (name) => Array.from(layer[name]);
      return { area: column("area"), kind: column("kind"), heading: column("heading") };
    },
    marksAt: (panel, title, t, agent = -1) => {
      const [marks] = replay.panels[panel].layers.marks.get(title);
      const names = ["time", "agent", "kind", "cell", "sender", "receiver"];
      const { now, before } = marks.told(t, agent);
      const values = (rows) => rows.map((row) => names.map((name) => marks[name][row]));
      return { now: values(now), before: values(before) };
    },
    bodiesAt: (panel, t) => {
      const timeline = timelineOf(panel);
      const levels = new Uint8Array(timeline.agents);
      timeline.services(t, levels);
      return Array.from(levels, (level, agent) => {
        if (timeline.rowAt(agent, t) < 0) return null;
        const state = timeline.stateOf(agent, t);
        const [name, service] = [timeline.bodies.states[state] ?? null, SERVICE[level][0]];
        return { heading: timeline.headingOf(agent, t), state: name, speed: timeline.speedOf(agent, t), service };
      });
    },
    lampsAt: (panel, t) => timelineOf(panel).bodies.lamps.map((_, lamp) => timelineOf(panel).lampState(lamp, t)),
    coherenceAt: (panel, t) => replay.panels[panel].curve.at(t),
  });
}

async function openLayers(head, timeline) {
  if (!head.layers) return { cells: new Map(), marks: new Map() };
  return unpackLayers(head.layers, await inflate(head.layers.body), timeline);
}
