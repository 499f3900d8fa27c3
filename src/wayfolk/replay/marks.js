// Marks: what happens between an agent and a cell at a time, such as messages. A line flashes between them, in the colour
// of its kind, and a list beside the map tells the latest, those of the present step above those before.

const MOST_MARKS = 60; // lines of the list, at most
const MOST_FLASHES = 4000; // lines on the map, at most

class Marks {
  constructor(layer, timeline) {
    Object.assign(this, layer, { timeline });
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

// What is shown of layers beside the map: for each its kinds, and what the marks tell.
class Notes {
  constructor(root, layers, timeline, replay) {
    Object.assign(this, { root, timeline, replay, lists: [] });
    this.renew(layers);
  }

  // Show other layers. Of those that were there before, only the marks change.
  renew(layers) {
    const titles = [...layers.cells.keys(), ...layers.marks.keys()];
    if (this.lists.length && titles.join() === this.lists.map(({ title }) => title).join()) {
      for (const list of this.lists) {
        const ofTitle = layers.marks.get(list.title);
        if (ofTitle && list.rows) [list.layer, list.key] = [ofTitle[0], ""];
      }
      return;
    }
    for (const { part } of this.lists) part.remove();
    this.lists = [];
    for (const [title, [layer]] of [...layers.cells, ...layers.marks]) {
      const part = document.createElement("section");
      const caption = document.createElement("p");
      const kinds = document.createElement("ul");
      caption.className = "caption";
      caption.textContent = title;
      kinds.className = "kinds";
      const items = layer.kinds.map(([name, tone, strength]) => addKind(kinds, name, tone, strength));
      part.append(caption, kinds);
      const list = { title, part, layer };
      if (layer instanceof Marks) {
        list.counts = items.map((item) => item.appendChild(document.createElement("b")));
        list.rows = part.appendChild(document.createElement("ol"));
        list.rows.tabIndex = 0;
        list.rows.setAttribute("aria-label", title);
      }
      this.lists.push(list);
      this.root.append(part);
    }
    this.root.hidden = !this.root.childElementCount;
  }

  tell(t, follow) {
    for (const list of this.lists) {
      const isShown = this.replay.show[layerSwitch(list.title)];
      list.part.hidden = !isShown;
      if (isShown && list.rows) this.fill(list, t, follow);
    }
  }

  // The page is touched only when the rows change.
  fill(list, t, follow) {
    const { layer } = list;
    const { now, before } = layer.told(t, follow);
    const key = [now[0], now.length, before[0], before.length, follow].join();
    if (list.key === key) return;
    list.key = key;
    list.counts.forEach((count, kind) => {
      const n = now.filter((row) => layer.kind[row] === kind).length;
      count.textContent = n ? number.format(n) : "";
    });
    const lines = now.slice(0, MOST_MARKS).map((row) => this.line(layer, row));
    if (now.length > MOST_MARKS) {
      const more = document.createElement("li");
      more.textContent = `and ${number.format(now.length - MOST_MARKS)} more`;
      lines.push(more);
    }
    for (const row of before) {
      const line = this.line(layer, row);
      line.className = "past";
      lines.push(line);
    }
    list.rows.replaceChildren(...lines);
    list.rows.scrollTop = 0;
  }

  line(layer, row) {
    const { timeline, replay } = this;
    const [name, tone] = layer.kinds[layer.kind[row]];
    const [from, to] = [layer.sender[row], layer.receiver[row]].map((area) => areaName(layer.groups, area));
    const [cell, agent] = [layer.cell[row], layer.agent[row]];
    const line = document.createElement("li");
    const parts = [clockText(layer.time[row], timeline.inSteps), name, `agent ${agent}`, `${from} \u2192 ${to}`];
    for (const text of parts) line.appendChild(document.createElement("span")).textContent = text;
    if (cell !== NOWHERE) line.title = `cell (${timeline.x(cell)}, ${timeline.y(cell)})`;
    line.dataset.tone = tone;
    line.addEventListener("click", () => replay.followAgent(agent));
    return line;
  }
}

function addKind(list, name, tone, strength) {
  const item = list.appendChild(document.createElement("li"));
  item.dataset.tone = tone;
  item.style.setProperty("--strength", strength);
  item.append(name);
  return item;
}
