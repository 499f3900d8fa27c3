// Notes: the layers of a panel beside its map: for each its kinds, and the latest marks.

import { NOWHERE } from "./decode.js";
import { areaName, layerSwitch } from "./layers.js";
import { Marks, MOST_MARKS } from "./marks.js";
import { clockText, number } from "./words.js";

// What is shown of layers beside the map: for each its kinds, and what the marks tell.
export class Notes {
  constructor(root, layers, timeline, replay) {
    this.root = root;
    this.timeline = timeline;
    this.replay = replay;
    this.lists = [];
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
    if (cell !== NOWHERE) line.title = `cell ${timeline.nameOf(cell)}`;
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
