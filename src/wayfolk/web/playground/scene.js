// Scene: everything that decides what is shown, as data: what is sent to workers, kept in the address, and shared.

/**
 * @typedef {{ name: string, width?: number, height?: number, walls?: string, terrain?: string }} MapPart
 * @typedef {import("./messages.js").PanelScene} PanelScene
 * @typedef {{ map: MapPart, moves: PanelScene["moves"], kind: PanelScene["kind"], seed: number, start: PanelScene["start"],
 *   goal: PanelScene["goal"], agents: number, errand: PanelScene["errand"], journeys: PanelScene["journeys"], street: any, world: string,
 *   algorithms: { name: string, options: Record<string, any> }[] }} Scene
 */

export const KINDS = { search: "One agent", agents: "Many agents", crowd: "A crowd" };
export const ERRANDS = { one_shot: "one goal each", patrol: "there and back", tasks: "new goals without end" };
const MOST_SHARED = 600; // agents whose places fit into an address
const LONGEST = 4e6; // bytes of a scene in an address
const OWN = "wayfolk-scene"; // the scene that this tab has put into the address

/** @returns {Scene} */
export function firstScene() {
  return {
    map: { name: "rooms" }, moves: "eight", kind: "agents", seed: 0, start: null, goal: null, agents: 60, errand: "patrol",
    journeys: [], street: null, world: "", algorithms: [{ name: "controllers/pibt", options: {} }],
  };
}

/** A scene of the list of scenes, whole. @param {any} preset @returns {Scene} */
export function fromPreset(preset) {
  const plain = firstScene();
  const algorithms = preset.algorithms.map((each) => (typeof each === "string" ? { name: each, options: {} } : structuredClone(each)));
  return { ...plain, kind: "agents", ...structuredClone(preset.scene), algorithms };
}

/** What the worker of one panel needs. @param {Scene} scene @param {number} panel @returns {PanelScene} */
export function forWorker(scene, panel) {
  const { name, options } = scene.algorithms[panel];
  const { map, moves, kind, seed, agents, errand, journeys, world } = scene;
  const common = { map: map.walls ? map : { name: map.name }, moves, kind, seed, algorithm: name, options };
  if (kind === "search") return { ...common, start: scene.start, goal: scene.goal };
  return { ...common, agents, errand, journeys, world: kind === "agents" ? world : "", ...(kind === "crowd" ? { street: scene.street } : {}) };
}

/** The scene as text for an address. @param {Scene} scene */
export async function encode(scene) {
  const text = JSON.stringify(scene.journeys.length > MOST_SHARED ? { ...scene, journeys: [] } : scene);
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return packBytes(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The scene in the text of an address; null if there is none. @param {string} text @returns {Promise<Scene | null>} */
export async function decode(text) {
  if (!text) return null;
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return checked(JSON.parse(await textOf(stream)));
  } catch {
    return null;
  }
}

/** The text of a stream; a small address may hold a very long one. @param {ReadableStream<any>} stream */
async function textOf(stream) {
  const parts = [];
  const reader = stream.getReader();
  let length = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    length += value.length;
    if (length > LONGEST) throw new Error("the scene is too long");
    parts.push(value);
  }
  return new Blob(parts).text();
}

/** Remember that this tab itself has put a scene into the address. @param {string} text */
export function noteOwn(text) {
  try {
    sessionStorage.setItem(OWN, text);
  } catch {
    // without it, the page asks before it runs the scene of the address
  }
}

/** Whether the scene of the address is this tab's own, and not that of a link. @param {string} text */
export function isOwn(text) {
  try {
    return sessionStorage.getItem(OWN) === text;
  } catch {
    return false;
  }
}

/** A scene from outside, with all its parts; the server checks it too. @param {any} given @returns {Scene} */
export function checked(given) {
  const scene = { ...firstScene(), ...given };
  if (!Array.isArray(scene.algorithms) || !scene.algorithms.length) throw new Error("a scene needs an algorithm");
  scene.algorithms = scene.algorithms.slice(0, 4).map(({ name, options }) => ({ name: String(name), options: { ...options } }));
  return scene;
}

/** Bytes in base64. @param {Uint8Array} bytes */
export function packBytes(bytes) {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters);
}

/** Walls as bits in base64. @param {Uint8Array} walls */
export function packWalls(walls) {
  const bytes = new Uint8Array(Math.ceil(walls.length / 8));
  for (let i = 0; i < walls.length; i++) if (walls[i]) bytes[i >> 3] |= 128 >> (i & 7);
  return packBytes(bytes);
}
