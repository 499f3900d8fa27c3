// Inspection: for tests and the curious.

import { NOWHERE } from "../replay/decode.js";
import { byId } from "../replay/dom.js";

/** What is shown, and how to ask for more. @param {any} app */
export function inspection(app) {
  const slot = (panel) => [...app.stage.slots.entries()].sort(([a], [b]) => a - b)[panel]?.[1];
  return Object.freeze({
    state: () => app.states.now,
    said: () => byId("said").textContent,
    panels: () => app.stage.panels.length,
    isPlaying: () => app.stage.isPlaying,
    time: () => app.stage.time,
    end: () => app.stage.end,
    agents: (panel = 0) => slot(panel)?.timeline.agents ?? 0,
    places: (panel = 0) => cellsOf(slot(panel).timeline, (timeline, agent) => timeline.cellOf(agent, timeline.end)),
    goals: (panel = 0) => cellsOf(slot(panel).timeline, (timeline, agent) => timeline.goalOf(agent, timeline.end)),
    bodies: (panel = 0) => {
      const { timeline } = slot(panel);
      const t = app.stage.time;
      return Array.from(timeline.momentAt(t).agents, (agent) => ({
        agent, heading: timeline.headingOf(agent, t), speed: timeline.speedOf(agent, t), state: timeline.bodies.states[timeline.stateOf(agent, t)] ?? null,
        kind: timeline.bodies.kinds[timeline.kindOf[agent]],
      }));
    },
    lamps: (panel = 0) => slot(panel).timeline.bodies.lamps.map((_, lamp) => slot(panel).timeline.lampState(lamp, app.stage.time)),
    ahead: (panel = 0) => Array.from(slot(panel)?.timeline.aheadAt?.(app.stage.time) ?? []),
    waits: (panel = 0) => slot(panel)?.timeline.waitsAt?.(app.stage.time) ?? null,
    terrain: (panel = 0) => Array.from(slot(panel)?.timeline.terrain ?? [], (quarters) => quarters / 4),
    streets: (panel = 0) => slot(panel)?.timeline.moves?.length ?? 0,
    density: (x, y, panel = 0) => {
      const { painter } = app.stage.panels[panel];
      painter.density.count(painter);
      return painter.density.at(x, y);
    },
    layers: (panel = 0) => {
      const { cells, marks } = app.stage.panels[panel].layers;
      return { areas: [...cells.keys()], marks: [...marks].map(([title, [layer]]) => [title, layer.time.length]) };
    },
    shows: (name) => app.stage.show[name],
    pictureIsDrawn: (panel = 0) => app.stage.panels[panel].painter.backdrop.world?.isReady ?? false,
    kept: (panel = 0) => slot(panel)?.timeline.moments?.length ?? 0,
    path: (panel = 0) => slot(panel)?.timeline.search?.path ?? null,
    walls: (panel = 0) => Array.from(slot(panel)?.timeline.walls ?? []),
    pixel: (x, y, panel = 0) => {
      const { view, canvas } = app.stage.panels[panel];
      const box = canvas.getBoundingClientRect();
      return [box.left + view.screenX(x + 0.5) / devicePixelRatio, box.top + view.screenY(y + 0.5) / devicePixelRatio];
    },
    vectors: (panel = 0) => {
      const { arrows } = app.stage.panels[panel].painter;
      arrows.moveTo(app.stage.time);
      let n = 0;
      for (let i = 0; i < arrows.lanes.x.length; i++) if (arrows.lanes.x[i] || arrows.lanes.y[i]) n++;
      return n;
    },
    scene: () => app.sceneNow(),
    speed: (speed) => app.stage.deck.setSpeed(speed),
  });
}

function cellsOf(timeline, cellOf) {
  return Array.from({ length: timeline.agents }, (_, agent) => {
    const cell = cellOf(timeline, agent);
    return cell === NOWHERE ? null : [timeline.x(cell), timeline.y(cell)];
  });
}
