// Layers: what a controller shows of itself, from the bytes that layers.py wrote.

import { inflate } from "./decode.js";
import { Marks } from "./marks.js";

// The name of a layer's switch in `show`.
export const layerSwitch = (title) => `layer ${title}`;

// The layers of one panel that pack_layers made, from their heads and the columns behind each other.
export function unpackLayers({ heads }, buffer, timeline) {
  const bytes = new Uint8Array(buffer);
  let at = 0;
  const column = (n) => bytes.subarray(at, (at += n));
  const words = (n) => {
    const [low, second, third, high] = [column(n), column(n), column(n), column(n)];
    return Uint32Array.from(low, (byte, i) => byte + 256 * second[i] + 65536 * third[i] + 16777216 * high[i]);
  };
  const layers = { cells: new Map(), marks: new Map() };
  for (const head of heads) {
    const { rows, title } = head;
    const ofTitle = layers[head.is].get(title) || layers[head.is].set(title, []).get(title);
    if (head.is === "cells") {
      const [lengths, areas, kinds, headings] = [words(rows), words(rows), column(rows), column(rows)];
      const size = timeline.width * timeline.height;
      const layer = { ...head, area: new Uint32Array(size), kind: new Uint8Array(size), heading: new Uint8Array(size) };
      for (let row = 0, from = 0; row < rows; from += lengths[row++]) {
        const to = from + lengths[row];
        layer.area.fill(areas[row], from, to);
        layer.kind.fill(kinds[row], from, to);
        layer.heading.fill(headings[row], from, to);
      }
      ofTitle.push(layer);
    } else {
      let tick = 0;
      const time = Float64Array.from(words(rows), (gap) => (tick += gap) * timeline.tick);
      const [agent, cell, sender, receiver] = [words(rows), words(rows), words(rows), words(rows)];
      ofTitle.push(new Marks({ ...head, time, agent, cell, sender, receiver, kind: column(rows) }, timeline));
    }
  }
  for (const ofTitle of layers.cells.values()) ofTitle.sort((a, b) => a.since - b.since);
  return layers;
}

// What an area is called.
export function areaName(groups, area) {
  const [name, first] = groups.findLast(([, first]) => first <= area) || ["area", 0];
  return `${name} ${area - first}`;
}

export async function openLayers(head, timeline) {
  if (!head.layers) return { cells: new Map(), marks: new Map() };
  return unpackLayers(head.layers, await inflate(head.layers.body), timeline);
}
