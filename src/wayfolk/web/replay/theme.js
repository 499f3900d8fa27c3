// Theme: the colours of the style sheet, as scripts draw with them.

import { ramp, wheel } from "./colours.js";

const TONES = ["blue", "orange", "green", "red", "grey"]; // of layers

/** @returns {any} */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["floor", "wall", "wall-new", "wall-shade", "gridline", "edge", "alarm", "ink", "card", "quiet", "accent"];
  /** @type {any} */
  const theme = Object.fromEntries(names.map((name) => [name, read(name)]));
  theme.agents = [0, 1, 2, 3, 4, 5, 6].map((i) => read(`agent-${i}`));
  theme.heat = ramp([0, 1, 2, 3].map((i) => read(`heat-${i}`)));
  const [floor, arrow] = ["lane-floor", "lane-arrow"].map((name) => wheel(...read(name).split(" ").map(Number)));
  theme.lanes = { floor, arrow };
  theme.area = read("area").split(" ").map(Number);
  const bytes = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const pair = (name) => read(name).split(" ").map(bytes);
  theme.search = { open: bytes(read("search-open")), back: bytes(read("search-back")), scan: bytes(read("search-scan")) };
  theme.search.forward = pair("search-forward");
  theme.search.backward = pair("search-backward");
  for (const name of ["path", "start", "goal"]) theme.search[name] = read(`search-${name}`);
  theme.dear = bytes(read("dear"));
  theme.tones = Object.fromEntries(TONES.map((tone) => [tone, bytes(read(`tone-${tone}`))]));
  return theme;
}
