// The page: one clock, and the panels it drives.

const UNITS_PER_SECOND = 4; // time units in a second at speed 1
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const PATIENCE = 75; // seconds a replay should take at the speed it opens with
const CROWD = 400; // more agents than this, and goals and trails hide more than they show; on lanes they always do

class Replay {
  constructor(heads, timelines) {
    this.hasRefusals = timelines.some((timeline) => timeline.refusals.time.length);
    this.hasMoves = timelines.some((timeline) => timeline.places.span.some((span) => span > 0));
    this.panels = heads.map((head, i) => new Panel(this, head, timelines[i]));
    this.end = Math.max(...timelines.map((timeline) => timeline.end));
    this.inSteps = timelines.every((timeline) => timeline.inSteps);
    this.time = 0;
    this.isPlaying = false;
    this.isLooping = false;
    this.follow = -1;
    this.keepsInView = true;
    const isCrowd = timelines.some((timeline) => timeline.agents > CROWD);
    const isOfLanes = heads.some((head) => head.lanes.coherence.length);
    const isCalm = !isCrowd && !isOfLanes;
    this.show = { goals: isCalm, lines: false, trails: isCalm, heat: false, lanes: isOfLanes };
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
    coherenceAt: (panel, t) => replay.panels[panel].curve.at(t),
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
    drawLegend(byId("legend"), replay.theme);
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
