// Terrain: cells in which walking costs more or less than 1. `timeline.terrain` has it in quarters, or is null.

import { inflate } from "./decode.js";

const PLAIN = 4; // quarters

export async function openTerrain(head) {
  return head.terrain ? new Uint8Array(await inflate(head.terrain)) : null;
}

// The colour of a cell, "" where it costs 1: dear ground is brown, the darker the dearer, cheap ground is green.
export function terrainColour(quarters, theme) {
  if (quarters === PLAIN) return "";
  const strength = Math.min(0.75, 0.14 + 0.13 * Math.abs(Math.log2(quarters / PLAIN)));
  const [red, green, blue] = quarters > PLAIN ? theme.dear : theme.tones.green;
  return `rgb(${red} ${green} ${blue} / ${strength.toFixed(3)})`;
}
