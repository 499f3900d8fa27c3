// Shapes: the agents of a panel with bodies: squares and discs to scale, with a triangle in front of those that turn. Agents
// that have arrived have a dot, those that are out of our control are hollow.

export class Shapes {
  constructor(painter) {
    this.painter = painter;
    this.nodes = painter.timeline.nodes;
  }

  // Half the side of an agent's body, or its radius, in pixels.
  size(agent) {
    return Math.max(this.nodes.shape(agent).radius * this.painter.view.scale, 3.5 * devicePixelRatio);
  }

  // The outline of an agent's body of this size around (x, y), as the path of the pen.
  outline(agent, x, y, size) {
    const { context: pen } = this.painter;
    pen.beginPath();
    if (this.nodes.shape(agent).side) pen.roundRect(x - size, y - size, 2 * size, 2 * size, 0.15 * size);
    else pen.arc(x, y, size, 0, 7);
  }

  // Cells and lanes that are closed have the colour of new walls, those that are opened that of the floor.
  drawEdits(t) {
    const { context: pen, view, theme } = this.painter;
    for (const { corners, isClosed } of this.nodes.editedAt(t)) {
      pen.fillStyle = pen.strokeStyle = isClosed ? theme["wall-new"] : theme.floor;
      pen.lineWidth = Math.max(0.14 * view.scale, 4 * devicePixelRatio);
      pen.globalAlpha = 0.9;
      pen.beginPath();
      for (const [x, y] of corners) pen.lineTo(view.screenX(x), view.screenY(y));
      if (corners.length > 2) pen.fill();
      else if (isClosed) pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  draw(t, calm) {
    const { painter } = this;
    const { context: pen, timeline, view, theme } = painter;
    pen.lineWidth = devicePixelRatio;
    for (let agent = 0; agent < timeline.agents; agent++) {
      const [x, y, size] = [painter.xs[agent], painter.ys[agent], this.size(agent)];
      if (!painter.isShown[agent] || x < -size || y < -size || x > view.wide + size || y > view.high + size) continue;
      const outline = (part) => this.outline(agent, x, y, part * size);
      pen.globalAlpha = calm;
      pen.fillStyle = painter.colour(agent);
      pen.strokeStyle = theme.floor;
      outline(1);
      pen.fill();
      pen.stroke();
      pen.fillStyle = theme.floor;
      if (timeline.isReleased(agent, t)) {
        outline(0.72);
        pen.fill();
      } else if (timeline.isThere(agent, t)) {
        outline(0.3);
        pen.fill();
      }
      this.drawFrontOf(agent, t);
    }
    pen.globalAlpha = 1;
  }

  // The triangle in front of a body, if it turns.
  drawFrontOf(agent, t) {
    const { painter } = this;
    if (!this.nodes.shape(agent).turns) return;
    const { context: pen, timeline } = painter;
    const [x, y, size, way] = [painter.xs[agent], painter.ys[agent], this.size(agent), timeline.headingOf(agent, t)];
    const [ahead, aside] = [Math.cos(way) * size, Math.sin(way) * size];
    pen.fillStyle = painter.theme.floor;
    pen.beginPath();
    pen.moveTo(x + 0.9 * ahead, y + 0.9 * aside);
    pen.lineTo(x + 0.45 * ahead - 0.4 * aside, y + 0.45 * aside + 0.4 * ahead);
    pen.lineTo(x + 0.45 * ahead + 0.4 * aside, y + 0.45 * aside - 0.4 * ahead);
    pen.closePath();
    pen.fill();
  }
}
