// Preview: a scene that does not run: its map, and its agents where they start, if it says where.

import { BEGIN } from "./messages.js";
import { packWalls } from "./scene.js";
import { liveOf } from "./stage.js";

const MOST_CELLS = 1 << 20;
const DIRECTIONS = [[0, -1], [1, 0], [0, 1], [-1, 0], [1, -1], [1, 1], [-1, 1], [-1, -1]];

/** What the stage shows of `scene`. @param {import("./scene.js").Scene} scene @param {string} title */
export async function previewOf(scene, title) {
  const { width, height, walls, terrain } = await mapOf(scene);
  const size = width * height;
  if (!(width > 0 && height > 0 && size <= MOST_CELLS)) throw new Error("its map is too large");
  const journeys = journeysOf(scene).filter(([x, y, farX, farY]) => x < width && y < height && farX < width && farY < height);
  const n = journeys.length;
  const bits = letters(walls);
  const frame = new ArrayBuffer(12 + 8 * n + bits.length);
  const view = new DataView(frame);
  view.setUint8(0, BEGIN);
  view.setUint32(8, n, true);
  const cell = (x, y) => (y + 1) * (width + 2) + x + 1;
  journeys.forEach(([x, y, farX, farY], agent) => {
    view.setInt32(12 + 4 * agent, cell(x, y), true);
    view.setInt32(12 + 4 * (n + agent), cell(farX, farY), true);
  });
  new Uint8Array(frame, 12 + 8 * n).set(bits);
  const head = { title, width, height, agents: n, diagonal: Math.SQRT2, diagonals: scene.moves !== "four", kinds: [], directions: DIRECTIONS };
  const slot = await liveOf(head, frame);
  slot.timeline.isOver = true; // nobody is asked for steps
  if (terrain) slot.timeline.terrain = letters(terrain);
  return slot;
}

/** The size, walls and terrain of the scene's map. @param {import("./scene.js").Scene} scene */
async function mapOf({ map, street, kind }) {
  if (kind === "crowd" && street) {
    const rows = String(street.drawing).trimEnd().split("\n");
    const width = Math.max(...rows.map((row) => row.length));
    if (width * rows.length > MOST_CELLS) throw new Error("its drawing is too large");
    const walls = Uint8Array.from(rows.map((row) => row.padEnd(width, "#")).join(""), (letter) => Number(letter === "#"));
    return { width, height: rows.length, walls: packWalls(walls), terrain: "" };
  }
  if (map.walls) return map;
  const answer = await fetch(`/api/maps/${encodeURIComponent(map.name)}`);
  const read = await answer.json();
  if (!answer.ok) throw new Error(read.why);
  return { ...read, terrain: map.terrain ?? read.terrain };
}

function journeysOf({ kind, start, goal, journeys, street }) {
  if (kind === "crowd" && street) return [];
  if (kind === "search") return start && goal ? [[...start, ...goal]] : [];
  return journeys;
}

function letters(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
