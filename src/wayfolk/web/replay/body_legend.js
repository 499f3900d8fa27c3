// BodyLegend: beside the map, how many are in each state or kind, or at each level of service.

import { SERVICE } from "./bodies.js";
import { number } from "./words.js";

// Legend beside the map: how many are in each state or kind, or at each level of service.
export class BodyLegend {
  constructor(root, timeline, replay) {
    this.root = root;
    this.timeline = timeline;
    this.replay = replay;
    this.section = document.createElement("section");
    this.caption = this.section.appendChild(document.createElement("p"));
    this.caption.className = "caption";
    this.list = this.section.appendChild(document.createElement("ul"));
    this.list.className = "kinds";
    root.append(this.section);
    root.hidden = false;
  }

  tell(t, painter) {
    const { timeline, replay } = this;
    const { bodies } = timeline;
    const rows = new Map();
    const count = (name, colour) => {
      if (!rows.has(name)) rows.set(name, [0, colour]);
      rows.get(name)[0]++;
    };
    const isOfService = replay.show.service;
    if (isOfService) for (const [name, , colour] of SERVICE) rows.set(name, [0, colour]);
    for (let agent = 0; agent < timeline.agents; agent++) {
      if (timeline.rowAt(agent, t) < 0) continue;
      const state = timeline.stateOf(agent, t);
      if (!isOfService) {
        const kind = bodies.kinds[timeline.kindOf[agent]];
        count(state < 0 ? kind : `${kind}: ${bodies.states[state]}`, painter.colour(agent, t, false));
      } else if (!timeline.isVehicle(agent)) count(SERVICE[painter.levels[agent]][0], SERVICE[painter.levels[agent]][2]);
    }
    const caption = isOfService ? "Level of service (persons within 1.5 m)" : "Bodies";
    const sorted = [...rows].sort(([one], [other]) => (one < other ? -1 : 1));
    const key = caption + sorted.map(([name, [n, colour]]) => name + n + colour).join();
    if (this.key === key) return;
    this.key = key;
    this.caption.textContent = caption;
    this.list.replaceChildren(
      ...sorted.map(([name, [n, colour]]) => {
        const item = document.createElement("li");
        item.style.setProperty("--tone", colour);
        item.style.setProperty("--strength", "1");
        item.append(name, Object.assign(document.createElement("b"), { textContent: number.format(n) }));
        return item;
      }),
    );
  }
}
