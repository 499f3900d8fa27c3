// Inspection: what is where, and when, for tests and the curious.

import { SERVICE } from "./bodies.js";
import { NOWHERE } from "./decode.js";
import { layerSwitch } from "./layers.js";

// For tests and the curious: what is where, and when.
export function inspection(replay) {
  const timelineOf = (panel) => replay.panels[panel].timeline;
  return Object.freeze({
    panels: replay.panels.length,
    end: replay.end,
    now: () => replay.time,
    speed: () => replay.speed,
    following: () => replay.follow,
    seek: (t) => replay.seek(t),
    play: () => replay.play(),
    pause: () => replay.pause(),
    follow: (agent) => replay.followAgent(agent),
    view: (panel) => {
      const { x, y, zoom } = replay.panels[panel].view;
      return { x, y, zoom };
    },
    positionsAt: (panel, t) => {
      const out = { x: 0, y: 0 };
      const timeline = timelineOf(panel);
      const agents = Array.from({ length: timeline.agents }, (_, agent) => agent);
      return agents.map((agent) => (timeline.position(agent, t, out) ? [out.x, out.y] : null));
    },
    goalsAt: (panel, t) => {
      const timeline = timelineOf(panel);
      return Array.from({ length: timeline.agents }, (_, agent) => {
        const goal = timeline.goalOf(agent, t);
        return goal === NOWHERE ? null : [timeline.x(goal), timeline.y(goal)];
      });
    },
    headingsAt: (panel, t) => {
      const timeline = timelineOf(panel);
      return Array.from({ length: timeline.agents }, (_, agent) => timeline.headingOf(agent, t));
    },
    pictureIsDrawn: (panel) => replay.panels[panel].painter.backdrop.world?.isReady ?? false,
    countsAt: (panel, t) => {
      const timeline = timelineOf(panel);
      const [arrived, present] = [timeline.arrived.at(t), timeline.present.at(t)];
      return { arrived, present, reached: timeline.reached.at(t), collisions: timeline.refusalsUntil(t) };
    },
    wallsAt: (panel, t) => {
      const timeline = timelineOf(panel);
      timeline.moveWalls(t, (index) => replay.panels[panel].painter.wallChanged(index));
      return Array.from(timeline.walls);
    },
    vectorsAt: (panel, t) => {
      const { arrows } = replay.panels[panel].painter;
      arrows.moveTo(t);
      return Array.from(arrows.lanes.x, (x, index) => [x, arrows.lanes.y[index]]);
    },
    searchAt: (panel, t) => {
      const { search } = timelineOf(panel);
      replay.panels[panel].painter.search.moveTo(t);
      const numbers = (name) => Array.from(search[name], (value) => (Number.isFinite(value) ? value : null));
      return { state: Array.from(search.state), g: numbers("g"), h: numbers("h"), learned: numbers("learned"),
        scanned: search.nScanned, expanded: search.nExpanded };
    },
    describe: (panel, x, y) => timelineOf(panel).search.describe(y * timelineOf(panel).width + x),
    isShown: (what) => replay.show[what] ?? replay.show[layerSwitch(what)],
    areasAt: (panel, title, t) => {
      const layer = replay.panels[panel].painter.areas.get(title).at(t);
      if (!layer) return null;
      const column = (name) => Array.from(layer[name]);
      return { area: column("area"), kind: column("kind"), heading: column("heading") };
    },
    marksAt: (panel, title, t, agent = -1) => {
      const [marks] = replay.panels[panel].layers.marks.get(title);
      const names = ["time", "agent", "kind", "cell", "sender", "receiver"];
      const { now, before } = marks.told(t, agent);
      const values = (rows) => rows.map((row) => names.map((name) => marks[name][row]));
      return { now: values(now), before: values(before) };
    },
    bodiesAt: (panel, t) => {
      const timeline = timelineOf(panel);
      const levels = new Uint8Array(timeline.agents);
      timeline.services(t, levels);
      return Array.from(levels, (level, agent) => {
        if (timeline.rowAt(agent, t) < 0) return null;
        const state = timeline.stateOf(agent, t);
        const [name, service] = [timeline.bodies.states[state] ?? null, SERVICE[level][0]];
        return { heading: timeline.headingOf(agent, t), state: name, speed: timeline.speedOf(agent, t), service };
      });
    },
    lampsAt: (panel, t) => timelineOf(panel).bodies.lamps.map((_, lamp) => timelineOf(panel).lampState(lamp, t)),
    coherenceAt: (panel, t) => replay.panels[panel].curve.at(t),
  });
}
