// Followed: the agent that is followed, with a long trail, its goal and its number.

import { NOWHERE } from "./decode.js";
import { clamp } from "./numbers.js";

const LONG_TRAIL = 120; // time units of path behind it

// Mark `agent` in what `painter` has drawn.
export function drawFollowed(painter, t, agent) {
  const { context: pen, timeline, view, theme } = painter;
  const radius = painter.radiusOf(agent);
  const [x, y, ratio] = [painter.xs[agent], painter.ys[agent], devicePixelRatio];
  pen.globalAlpha = 0.75;
  pen.strokeStyle = painter.colour(agent);
  pen.lineCap = pen.lineJoin = "round";
  pen.lineWidth = Math.max(0.2 * view.scale, 1.5 * ratio);
  pen.beginPath();
  painter.tracePath(pen, agent, t, LONG_TRAIL);
  pen.stroke();

  pen.globalAlpha = 1;
  const goal = timeline.goalOf(agent, t);
  if (goal !== NOWHERE && !timeline.isThere(agent, t)) {
    pen.strokeStyle = theme.ink;
    pen.lineWidth = Math.max(1, ratio);
    pen.setLineDash([4 * ratio, 4 * ratio]);
    pen.beginPath();
    painter.lineToGoal(pen, agent, t);
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
    pen.fillStyle = painter.colour(agent);
    pen.fill();
    pen.stroke();
  }
  const disc = Math.max(radius, 4 * ratio);
  pen.fillStyle = painter.colour(agent);
  pen.strokeStyle = theme.ink;
  pen.lineWidth = 2 * ratio;
  if (painter.shapes) painter.shapes.outline(agent, x, y, disc);
  else {
    pen.beginPath();
    pen.arc(x, y, disc, 0, 7);
  }
  pen.fill();
  pen.stroke();
  painter.shapes?.drawFrontOf(agent, t);
  drawLabel(painter, String(agent), x, y, disc);
}

function drawLabel(painter, text, x, y, disc) {
  const { context: pen, view, theme } = painter;
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
