// Layout: the sizes of the panels in the window, and the colours that the system asks for.

import { drawLegend } from "./arrows.js";
import { byId } from "./dom.js";
import { readTheme } from "./theme.js";

export function arrange(replay) {
  const n = replay.panels.length;
  const columns = innerWidth <= 720 ? 1 : n === 4 && innerWidth < 1200 ? 2 : n;
  document.body.classList.toggle("solo", n === 1);
  byId("panels").style.setProperty("--columns", columns);
  for (const panel of replay.panels) {
    panel.isBeside = n === 1 && innerWidth >= 860;
    panel.isNarrow = !panel.isBeside && panel.root.clientWidth < 500;
    panel.root.classList.toggle("narrow", panel.isNarrow);
  }
  // a row of maps takes the height that the rest of the page leaves, if that is enough to see something
  const room = innerHeight - byId("deck").offsetHeight - byId("panels").offsetTop - 14;
  const words = Math.max(...replay.panels.map((panel) => panel.heightOfWords));
  const highest = columns === n && innerWidth > 720 ? room - words : room * 0.8;
  for (const panel of replay.panels) panel.resize(Math.max(highest, 300));
  replay.ask();
}

// Follow the size of the window, and whether it is to be light or dark.
export function followWindow(replay) {
  const dress = () => {
    replay.theme = readTheme();
    drawLegend(byId("legend"), replay.theme);
    replay.dress();
  };
  dress();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
  new ResizeObserver(() => arrange(replay)).observe(byId("panels"));
  addEventListener("resize", () => arrange(replay));
}
