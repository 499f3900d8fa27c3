// Edits: what a change of the world changes of the scene, which the address and shared links hold.

import { PLAIN } from "./cells.js";
import { drawnMap } from "./files.js";

/** Note an edit in the scene: walls, start and goal belong to it. @param {any} app @param {import("./messages.js").Edit} edit */
export function noteEdit(app, edit) {
  const timeline = app.stage.panels[0]?.timeline;
  if (!timeline) return;
  if (["block", "free", "terrain"].includes(edit.do)) {
    const { width, height, walls, terrain } = timeline;
    if (!app.scene.map.walls || app.walls?.length !== walls.length) {
      app.walls = walls.slice();
      app.terrain = terrain?.slice() ?? new Uint8Array(walls.length).fill(PLAIN);
    }
    for (const [x, y] of edit.cells) {
      if (edit.do === "terrain") app.terrain[y * width + x] = PLAIN * edit.cost;
      else app.walls[y * width + x] = edit.do === "block" ? 1 : 0;
    }
    app.scene.map = drawnMap({ width, height, walls: app.walls, terrain: app.terrain }, app.scene.map.name);
  } else if (app.scene.kind === "search" && edit.do === "put") app.scene.start = edit.place;
  else if (app.scene.kind === "search" && edit.do === "goal") app.scene.goal = edit.place;
  else if (app.scene.kind !== "search" && ["put", "goal", "join", "add", "leave"].includes(edit.do)) app.isTouched = true;
}
