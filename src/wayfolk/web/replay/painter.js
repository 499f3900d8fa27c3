// Painter: draws one timeline at one time, layer upon layer: the map, what algorithms know and show, trails and goals, agents.

import { Areas } from "./areas.js";
import { Arrows } from "./arrows.js";
import { Backdrop } from "./backdrop.js";
import { Bodies } from "./bodies.js";
import { BodyPainter } from "./body_painter.js";
import { NOWHERE } from "./decode.js";
import { Density } from "./density.js";
import { Discs } from "./discs.js";
import { drawFollowed } from "./followed.js";
import { HeatMap } from "./heat.js";
import { layerSwitch } from "./layers.js";
import { SearchPicture } from "./search_picture.js";
import { Shapes } from "./shapes.js";

const TRAIL = 14; // time units of path behind each agent

const TRAIL_BANDS = [
  [1, 0.1],
  [0.66, 0.16],
  [0.33, 0.26],
];

export class Painter {
  constructor(canvas, timeline, view, lanes, layers) {
    this.canvas = canvas;
    this.timeline = timeline;
    this.view = view;
    this.search = timeline.search ? new SearchPicture(timeline.search, view) : null;
    this.setLayers(layers);
    this.arrows = new Arrows(lanes, view);
    this.density = new Density(timeline, view);
    this.under = []; // what others draw below the agents, and above them: functions of the pen, the time and the switches
    this.over = [];
    this.context = canvas.getContext("2d");
    this.backdrop = new Backdrop(this);
    this.heat = new HeatMap(timeline, view);
    this.discs = new Discs(this);
    this.theme = null;
    this.themeVersion = 0;
    this.place = { x: 0, y: 0 };
    this.makeRoom(timeline.agents);
    this.bodies = timeline instanceof Bodies ? new BodyPainter(this, timeline) : null;
    this.shapes = timeline.nodes ? new Shapes(this) : null;
    this.ask = () => {}; // what draws the panel again, set by the panel
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
    this.xs = new Float32Array(agents);
    this.ys = new Float32Array(agents);
    this.isShown = new Uint8Array(agents);
  }

  setTheme(theme) {
    this.theme = theme;
    this.themeVersion++;
    this.discs.forget();
    this.backdrop.forget();
    this.heat.version = -1;
    this.arrows.setTheme(theme);
    if (this.search) this.search.setTheme(theme);
    for (const areas of this.areas.values()) areas.setTheme(theme);
  }

  // `show` holds the switches, `flash` how long a refusal is seen, `follow` an agent or -1, `hover` a cell's index or -1.
  draw(t, { show, flash, follow, hover }) {
    const { context: pen, timeline, view } = this;
    timeline.moveWalls(t, (index) => this.wallChanged(index));
    this.backdrop.draw();
    this.shapes?.drawEdits(t);
    for (const [title, areas] of this.areas) if (show[layerSwitch(title)]) areas.draw(pen, t, this.backdrop.version);
    if (this.search) this.search.draw(pen, t, show, hover);
    if (show.lanes && !this.shapes) this.arrows.draw(pen, t);
    if (show.heat) this.heat.draw(pen, t, this.theme.heat);
    this.locate(t);
    if (show.density) this.density.draw(pen, this);
    for (const draw of this.under) draw(pen, t, show);
    const isAlone = follow >= 0 && this.isShown[follow];
    const calm = isAlone ? 0.4 : 1;
    if (show.trails) this.drawTrails(t, calm);
    if (show.lines) this.drawLines(t, calm);
    if (show.goals) this.drawGoals(t, calm);
    if (this.bodies) this.bodies.draw(t, calm, show.service);
    else if (this.shapes) this.shapes.draw(t, calm);
    else this.discs.draw(t, calm, show.lanes, flash);
    for (const [title, [marks]] of this.marks) {
      if (show[layerSwitch(title)]) marks.draw(this, t, { flash, follow: isAlone ? follow : -1 });
    }
    this.discs.drawFlashes(t, flash);
    for (const draw of this.over) draw(pen, t, show);
    if (isAlone) drawFollowed(this, t, follow);
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

  wallChanged(index) {
    this.backdrop.wallChanged(index);
  }

  // The radius of an agent in pixels.
  radiusOf(agent) {
    return this.bodies ? this.bodies.size(agent) : this.shapes ? this.shapes.size(agent) : this.radius;
  }

  // The radius of agents that are points, in pixels.
  get radius() {
    return Math.max(0.43 * this.view.scale, 1.7 * devicePixelRatio);
  }

  colour(agent) {
    return this.theme.agents[agent % this.theme.agents.length];
  }

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
}
