// Words: numbers and times as text.

export const number = new Intl.NumberFormat("en");
export const clockText = (t, inSteps) => (inSteps ? number.format(Math.floor(t + 1e-9)) : t.toFixed(1));
// In steps, and for agents with one task after another, a refused move is called that; in the theses it is a collision.
export const areRefused = (timeline) => timeline.inSteps || timeline.reached.last > timeline.agents;
export const refusalWord = (timeline, n) => `${areRefused(timeline) ? "refused move" : "collision"}${n === 1 ? "" : "s"}`;
export const capital = (text) => text[0].toUpperCase() + text.slice(1);
