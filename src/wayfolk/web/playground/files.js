// Files: maps and agents as text, and files that the browser saves.

import { packBytes, packWalls } from "./scene.js";

/** The agents of a .scen file. @param {string} text @param {any} scene */
export function readScen(text, scene) {
  const rows = text.split(/\r?\n/).filter((row) => row.trim() && !row.startsWith("version")).map((row) => row.trim().split(/\s+/));
  const places = rows.map((row) => row.slice(-5, -1).map(Number)).filter((row) => row.length === 4 && row.every(Number.isInteger));
  if (!places.length) throw new Error("there are no starts and goals in it");
  if (scene.kind === "search") return { start: places[0].slice(0, 2), goal: places[0].slice(2) };
  const [starts, goals] = [new Set(), new Set()];
  const journeys = places.filter(([x, y, farX, farY]) => {
    const isNew = !starts.has(`${x},${y}`) && !goals.has(`${farX},${farY}`);
    if (isNew) starts.add(`${x},${y}`), goals.add(`${farX},${farY}`);
    return isNew;
  });
  return { journeys: journeys.slice(0, scene.agents), errand: "one_shot" };
}

/** The text of a .map file. @param {any} timeline */
export function mapText(timeline) {
  if (!timeline) return "";
  const rows = [];
  for (let y = 0; y < timeline.height; y++) {
    let row = "";
    for (let x = 0; x < timeline.width; x++) row += timeline.walls[y * timeline.width + x] ? "@" : ".";
    rows.push(row);
  }
  return `type octile\nheight ${timeline.height}\nwidth ${timeline.width}\nmap\n${rows.join("\n")}\n`;
}

/** A map as scenes hold it. @param {any} timeline @param {string} name */
export function drawnMap(timeline, name) {
  const map = { name, width: timeline.width, height: timeline.height, walls: packWalls(timeline.walls) };
  const hasTerrain = timeline.terrain?.some((/** @type {number} */ cost) => cost !== 4);
  return hasTerrain ? { ...map, terrain: packBytes(timeline.terrain) } : map;
}

/** Give a file to the browser, which saves it. @param {string} name @param {...BlobPart} parts */
export function download(name, ...parts) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
