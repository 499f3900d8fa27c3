// BodyPainter: draws the bodies of a panel, its lamps and its walls between cells.

import { SERVICE } from "./bodies.js";

const LAMPS = { green: "#1a9850", orange: "#f39c12", yellow: "#f39c12", red: "#d1242f" };

// BodyPainter: draws the bodies of a panel, its lamps and its walls between cells.
export class BodyPainter {
  constructor(painter, timeline) {
    this.painter = painter;
    this.timeline = timeline;
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
