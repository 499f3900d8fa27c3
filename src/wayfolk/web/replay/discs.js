// Discs: the agents of a panel, and red rings around those whose moves were refused. A disc is drawn once for each colour and
// size, then stamped.

import { inked } from "./colours.js";

const DENSE = 800; // agents from which on they are stamped,
const SMALL_DISC = 5; // if their discs are no larger than this
const [GOING, THERE, RELEASED] = [0, 1, 2];

export class Discs {
  constructor(painter) {
    this.painter = painter;
    this.timeline = painter.timeline;
    this.view = painter.view;
    this.sprites = [];
    this.spriteRadius = 0;
    this.stamps = null;
    this.drawing = 0; // a number for each picture, by which `flashed` tells who has a ring already
    this.flashed = new Uint32Array(painter.timeline.agents);
  }

  // Other colours: discs are drawn anew.
  forget() {
    this.sprites = [];
  }

  // On lanes agents are all of one colour: colours tell directions there.
  draw(t, calm, isPlain, flash) {
    const { painter, timeline, view } = this;
    const { context: pen, theme, radius } = painter;
    if (this.isDense) {
      this.stamp(t, calm, isPlain, flash);
      return;
    }
    const sprites = this.spritesOf(radius);
    const half = sprites[0].width / 2;
    pen.globalAlpha = calm;
    for (let agent = 0; agent < timeline.agents; agent++) {
      const [x, y] = [painter.xs[agent], painter.ys[agent]];
      if (!painter.isShown[agent] || x < -half || y < -half || x > view.wide + half || y > view.high + half) continue;
      const look = timeline.isReleased(agent, t) ? RELEASED : timeline.isThere(agent, t) ? THERE : GOING;
      const colour = isPlain ? theme.agents.length : agent % theme.agents.length;
      pen.drawImage(sprites[3 * colour + look], x - half, y - half);
    }
  }

  get isDense() {
    return this.timeline.agents >= DENSE && this.painter.radius <= SMALL_DISC * devicePixelRatio && !this.painter.bodies && !this.painter.shapes;
  }

  // Thousands of small discs, written pixel by pixel into one picture: many times faster than a drawing for each. A refusal is
  // a red ring.
  stamp(t, calm, isPlain, flash) {
    const { painter, timeline, view } = this;
    const { context: pen, theme, radius } = painter;
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
    if (this.flashed.length < timeline.agents) this.flashed = new Uint32Array(2 * timeline.agents);
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
      const [x, y] = [Math.round(painter.xs[agent]), Math.round(painter.ys[agent])];
      if (!painter.isShown[agent] || x < reach || y < reach || x >= wide - reach || y >= high - reach) continue;
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
    const { floor, agents, ink } = this.painter.theme;
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
    const { painter, timeline } = this;
    const { context: pen } = painter;
    const { time, agent } = timeline.refusals;
    this.drawing++;
    if (this.flashed.length < timeline.agents) this.flashed = new Uint32Array(2 * timeline.agents);
    pen.strokeStyle = painter.theme.alarm;
    for (let i = timeline.refusalsUntil(t) - 1; i >= 0 && time[i] > t - flash; i--) {
      const whose = agent[i];
      if (this.flashed[whose] === this.drawing || !painter.isShown[whose]) continue;
      this.flashed[whose] = this.drawing;
      const age = (t - time[i]) / flash;
      pen.globalAlpha = (1 - age) ** 0.7;
      pen.lineWidth = Math.max(0.16 * this.view.scale * (1 - 0.5 * age), 1.4 * devicePixelRatio);
      pen.beginPath();
      pen.arc(painter.xs[whose], painter.ys[whose], painter.radiusOf(whose) * (1.12 + 0.85 * age) + devicePixelRatio, 0, 7);
      pen.stroke();
    }
  }
}
