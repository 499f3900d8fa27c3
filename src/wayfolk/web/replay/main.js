// Opens the replay whose data are in the page.

import { Bodies } from "./bodies.js";
import { Deck } from "./deck.js";
import { inflate, unpack } from "./decode.js";
import { byId } from "./dom.js";
import { inspection } from "./inspection.js";
import { openLayers } from "./layers.js";
import { arrange, followWindow } from "./layout.js";
import { openNodes } from "./nodes.js";
import { Replay } from "./replay.js";
import { Search } from "./search.js";
import { openTerrain } from "./terrain.js";
import { Timeline } from "./timeline.js";

async function open() {
  if (!("DecompressionStream" in window)) throw new Error("this browser is too old: it cannot unpack gzip");
  const heads = JSON.parse(byId("data").textContent);
  const buffers = await Promise.all(heads.map((head) => inflate(head.body)));
  const nodes = await Promise.all(heads.map(openNodes));
  const timelines = heads.map((head, i) =>
    head.bodies ? new Bodies(head, buffers[i]) : new Timeline(head, unpack(head, buffers[i]), nodes[i]),
  );
  for (const [i, head] of heads.entries()) {
    timelines[i].diagonals = head.diagonals;
    timelines[i].terrain = await openTerrain(head);
    timelines[i].search = head.search ? new Search(head.search, await inflate(head.search.body), timelines[i]) : null;
  }
  const layers = await Promise.all(heads.map((head, i) => openLayers(head, timelines[i])));
  byId("notice").remove();
  const replay = new Replay(heads, timelines, layers);
  replay.deck = new Deck(replay);
  followWindow(replay);
  arrange(replay);
  Object.assign(window, { wayfolk: inspection(replay) });
}

open().catch((error) => {
  const notice = byId("notice") || byId("panels").appendChild(document.createElement("p"));
  notice.textContent = `The replay could not be opened: ${error.message}.`;
  throw error;
});
