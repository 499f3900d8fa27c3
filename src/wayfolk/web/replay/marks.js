// Marks: what happens between an agent and a cell at a time, such as messages. A line flashes between them, in the colour
// of its kind, and a list beside the map tells the latest, those of the present step above those before.

import { NOWHERE } from "./decode.js";
import { clamp, upperBound } from "./numbers.js";

export const MOST_MARKS = 60; // lines of the list, at most
const MOST_FLASHES = 4000; // lines on the map, at most

export class Marks {
  constructor(layer, timeline) {
    this.title = layer.title;
    this.kinds = layer.kinds;
    this.groups = layer.groups;
    this.time = layer.time;
    this.agent = layer.agent;
    this.kind = layer.kind;
    this.cell = layer.cell;
    this.sender = layer.sender;
    this.receiver = layer.receiver;
    this.timeline = timeline;
  }

  // Rows from the time `from` on, until `to`, this one included: [first, last + 1].
  between(from, to) {
    const { time } = this;
    return [upperBound(time, from - 1e-9, 0, time.length), upperBound(time, to + 1e-9, 0, time.length)];
  }

  // The latest rows until `t`, of one agent or of all: those of the present step, however many, and some before.
  told(t, follow) {
    const [first, end] = this.between(Math.floor(t + 1e-9), t);
    const isTold = (row) => follow < 0 || this.agent[row] === follow;
    const now = [];
    const before = [];
    for (let row = end - 1; row >= first; row--) if (isTold(row)) now.push(row);
    for (let row = first - 1; row >= 0 && now.length + before.length < MOST_MARKS; row--) if (isTold(row)) before.push(row);
    return { now, before };
  }

  // Marks of one agent at one time, such as a question and its answer, are lines side by side.
  draw(painter, t, { flash, follow }) {
    const { context: pen, view, theme, xs, ys, isShown, radius } = painter;
    const [since, end] = this.between(t - flash, t);
    const begin = Math.max(since, end - MOST_FLASHES);
    const bundles = new Map();
    for (let row = begin; row < end; row++) {
      const agent = this.agent[row];
      if (!isShown[agent] || (follow >= 0 && agent !== follow)) continue;
      const key = `${agent} ${this.time[row]}`;
      if (bundles.has(key)) bundles.get(key).push(row);
      else bundles.set(key, [row]);
    }
    const half = Math.max(0.36 * view.scale, 2 * devicePixelRatio);
    const thin = Math.max(0.08 * view.scale, 1.5 * devicePixelRatio);
    pen.lineWidth = thin;
    pen.lineCap = "butt";
    for (const rows of bundles.values()) {
      rows.forEach((row, place) => {
        const [, tone, strength] = this.kinds[this.kind[row]];
        const [fromX, fromY] = [xs[this.agent[row]], ys[this.agent[row]]];
        pen.strokeStyle = `rgb(${theme.tones[tone].join(" ")})`;
        pen.globalAlpha = strength * clamp(1 - (t - this.time[row]) / flash, 0, 1) ** 0.7;
        pen.beginPath();
        const isLast = place === rows.length - 1;
        if (isLast) pen.arc(fromX, fromY, radius + 1.5 * devicePixelRatio, 0, 7);
        if (this.cell[row] !== NOWHERE) {
          const [toX, toY] = this.middleOf(this.cell[row], view);
          const long = Math.hypot(toX - fromX, toY - fromY) || 1;
          const aside = ((place - (rows.length - 1) / 2) * 1.25 * thin) / long;
          const [dx, dy] = [aside * (fromY - toY), aside * (toX - fromX)];
          pen.moveTo(fromX + dx, fromY + dy);
          pen.lineTo(toX + dx, toY + dy);
          if (isLast) pen.rect(toX - half, toY - half, 2 * half, 2 * half);
        }
        pen.stroke();
      });
    }
    pen.globalAlpha = 1;
  }

  middleOf(cell, view) {
    return [view.screenX(this.timeline.x(cell) + 0.5), view.screenY(this.timeline.y(cell) + 0.5)];
  }
}
