// Scene: everything that decides what is shown, as data: what is sent to workers, kept in the address, and shared.

/**
 * @typedef {{ name: string, width?: number, height?: number, walls?: string }} MapPart
 * @typedef {{ map: MapPart, moves: string, kind: string, seed: number, start: number[] | null, goal: number[] | null,
 *   agents: number, errand: string, journeys: number[][], algorithms: { name: string, options: Record<string, any> }[] }} Scene
 */

export const KINDS = { search: "One agent", agents: "Many agents", crowd: "A crowd" };
export const ERRANDS = { one_shot: "one goal each", patrol: "there and back", tasks: "new goals without end" };
const MOST_SHARED = 600; // agents whose places fit into an address
const MOST_WRITTEN = 12; // and into lines of Python

/** @returns {Scene} */
export function firstScene() {
  return {
    map: { name: "rooms" }, moves: "eight", kind: "agents", seed: 1, start: null, goal: null, agents: 60, errand: "patrol",
    journeys: [], algorithms: [{ name: "controllers/pibt", options: {} }],
  };
}

/** A scene of the list of scenes, whole. @param {any} preset @returns {Scene} */
export function fromPreset(preset) {
  const plain = firstScene();
  const algorithms = preset.algorithms.map((name) => ({ name, options: {} }));
  return { ...plain, kind: "agents", ...preset.scene, algorithms };
}

/** What the worker of one panel needs. @param {Scene} scene @param {number} panel */
export function forWorker(scene, panel) {
  const { name, options } = scene.algorithms[panel];
  const { map, moves, kind, seed, agents, errand, journeys } = scene;
  const asked = { map: map.walls ? map : { name: map.name }, moves, kind, seed, algorithm: name, options };
  if (kind === "search") Object.assign(asked, { start: scene.start, goal: scene.goal });
  else Object.assign(asked, { agents, errand, journeys });
  return asked;
}

/** The scene as text for an address. @param {Scene} scene */
export async function encode(scene) {
  const text = JSON.stringify(scene.journeys.length > MOST_SHARED ? { ...scene, journeys: [] } : scene);
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The scene in the text of an address; null if there is none. @param {string} text @returns {Promise<Scene | null>} */
export async function decode(text) {
  if (!text) return null;
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return checked(JSON.parse(await new Response(stream).text()));
  } catch {
    return null;
  }
}

/** A scene from outside, with all its parts; the server checks it too. @param {any} given @returns {Scene} */
export function checked(given) {
  const scene = { ...firstScene(), ...given };
  if (!Array.isArray(scene.algorithms) || !scene.algorithms.length) throw new Error("a scene needs an algorithm");
  scene.algorithms = scene.algorithms.slice(0, 4).map(({ name, options }) => ({ name: String(name), options: { ...options } }));
  return scene;
}

/** Walls as bits in base64. @param {Uint8Array} walls */
export function packWalls(walls) {
  const bytes = new Uint8Array(Math.ceil(walls.length / 8));
  for (let i = 0; i < walls.length; i++) if (walls[i]) bytes[i >> 3] |= 128 >> (i & 7);
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters);
}

/** The lines of Python that do the same. @param {Scene} scene @param {any} algorithm */
export function python(scene, algorithm) {
  const { name, options } = scene.algorithms[0];
  const short = name.split("/").pop();
  const given = Object.entries(options).map(([key, value]) => `, ${key}=${toPython(value)}`).join("");
  const lines = ["import wayfolk as wf", ""];
  const thesis = /^thesis-([abcd])$/.exec(scene.map.walls ? "" : scene.map.name);
  if (thesis) lines.push(`grid = wf.thesis_map("${thesis[1]}").grid`);
  else lines.push(`grid = wf.read_map("${scene.map.name || "drawn"}.map", "${scene.moves}")  # saved with "Save the map"`);
  if (scene.kind === "search") {
    const place = (at) => (at ? `(${at.join(", ")})` : "(0, 0)");
    lines.push(`result = wf.find_path(grid, ${place(scene.start)}, ${place(scene.goal)}, "${short}"${given})`);
    lines.push("print(result.status, result.cost, result.expanded)", `wf.search_page(grid, ${place(scene.start)}, ${place(scene.goal)}, "${short}").open()`);
    return lines.join("\n");
  }
  if (scene.kind === "crowd") {
    lines.push("from wayfolk.crowds.crowd import Crowd", `crowd = Crowd(grid, "${short}", cell=0.5, ways="flow", leave=True${given})`);
    lines.push("# crowd.add(places, goals), in metres", "crowd.run(60).show()");
    return lines.join("\n");
  }
  if (scene.journeys.length && scene.journeys.length <= MOST_WRITTEN) {
    lines.push(`starts = [${scene.journeys.map(([x, y]) => `(${x}, ${y})`).join(", ")}]`);
    lines.push(`goals = [${scene.journeys.map(([, , x, y]) => `(${x}, ${y})`).join(", ")}]`, "problem = wf.one_shot(grid, starts, goals)");
  } else if (thesis && scene.errand === "patrol") lines.push(`problem = wf.thesis_problem("${thesis[1]}", agents=${scene.agents}, seed=${scene.seed})`);
  else if (scene.errand === "tasks") lines.push(`problem = wf.tasks(grid, agents=${scene.agents}, seed=${scene.seed})`);
  else lines.push(`problem = wf.patrol(grid, agents=${scene.agents}, seed=${scene.seed})`);
  if (algorithm?.family === "planners") lines.push(`result = wf.solve(problem, "${short}", seconds=10${given})`, "assert not wf.check(result.plan, problem)", "result.plan.save(\"plan.json\")");
  else lines.push(`run = wf.simulate(problem, "${short}", until=500${given})`, "print(run.collisions)", 'run.save_replay("replay.html")');
  return lines.join("\n");
}

function toPython(value) {
  if (value === true) return "True";
  if (value === false) return "False";
  return value === null ? "None" : JSON.stringify(value);
}
