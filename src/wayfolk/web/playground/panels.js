// Panels: those of the playground, with what tools draw over them, and what live ones tell.

import { addPair, setParts } from "../replay/dom.js";
import { Panel } from "../replay/panel.js";
import { clockText, number } from "../replay/words.js";
import { Charts } from "./charts.js";
import { Insight } from "./insight.js";

// What tools draw over a panel: cells that are being painted, what is being dragged, the cursor.
function drawTools(panel) {
  const { replay: stage, view, painter } = panel;
  const pen = painter.context;
  const { theme } = stage;
  const box = (index) => {
    const [x, y] = [index % view.width, Math.floor(index / view.width)];
    return [view.screenX(x), view.screenY(y), view.scale, view.scale];
  };
  for (const [index, paint] of stage.marks) {
    pen.globalAlpha = 0.8;
    pen.fillStyle = paint === "wall" ? theme["wall-new"] : paint === "erase" ? theme.floor : `rgb(${theme.dear.join(" ")} / 0.6)`;
    pen.fillRect(...box(index));
  }
  pen.globalAlpha = 1;
  const ring = (index, colour, dash) => {
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(2 * devicePixelRatio, 0.1 * view.scale);
    pen.setLineDash(dash);
    pen.strokeRect(...box(index));
    pen.setLineDash([]);
  };
  if (stage.ghost) ring(stage.ghost.index, theme.accent, [4 * devicePixelRatio, 3 * devicePixelRatio]);
  if (stage.ghost && stage.ghost.from !== undefined) {
    const middle = (index) => [view.screenX((index % view.width) + 0.5), view.screenY(Math.floor(index / view.width) + 0.5)];
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 1.5 * devicePixelRatio;
    pen.beginPath();
    pen.moveTo(...middle(stage.ghost.from));
    pen.lineTo(...middle(stage.ghost.index));
    pen.stroke();
  }
  if (stage.cursor !== null && stage.cursor < view.width * view.height) ring(stage.cursor, theme.ink, []);
}

// A search.
export class StillPanel extends Panel {
  /** @param {any} stage @param {any} head @param {any} timeline @param {any} layers */
  constructor(stage, head, timeline, layers) {
    super(stage, head, timeline, layers);
    this.insight = null;
  }

  draw() {
    super.draw();
    drawTools(this);
  }
}

// Agents or bodies that move while we look.
export class LivePanel extends Panel {
  constructor(stage, head, timeline, layers) {
    super(stage, head, timeline, layers);
    for (const strip of this.root.querySelectorAll(".strip:not(.curve) canvas, .strip:not(.curve) .caption")) strip.hidden = true;
    this.strip.canvas.hidden = true;
    this.insight = timeline.bodies ? null : new Insight(this);
    const box = document.createElement("div");
    box.className = "charts";
    this.root.querySelector(".side").append(box);
    this.charts = new Charts(box, timeline, stage);
  }

  makeCounters() {
    const list = this.root.querySelector(".counters");
    const names = this.timeline.bodies
      ? [["time", "Seconds"], ["present", "Bodies"], ["arrived", "Goals reached"]]
      : [["time", "Step"], ["arrived", "Goals reached"], ["refused", "Refused moves"]];
    this.counters = {};
    for (const [key, label] of names) this.counters[key] = addPair(list, label, "");
  }

  tell(t, follow) {
    const { timeline, counters } = this;
    const moment = timeline.momentAt(t);
    setParts(counters.time, clockText(t, timeline.inSteps));
    if (timeline.bodies) {
      setParts(counters.present, number.format(moment.present));
      setParts(counters.arrived, number.format(moment.arrived));
    } else {
      const isPatrol = moment.passed > 0;
      setParts(counters.arrived, number.format(moment.reached), isPatrol ? "" : ` / ${number.format(moment.present)}`);
      setParts(counters.refused, number.format(moment.refused));
      counters.refused.parentNode.classList.toggle("alarm", moment.refused > 0);
    }
    this.tellFollowed(t, follow);
  }

  draw() {
    super.draw();
    drawTools(this);
    this.charts.draw(this.time);
    this.insight?.tell(this.time, this.replay.show);
  }

  resize(highest) {
    super.resize(highest);
    this.charts.resize();
  }
}
