// Series: numbers that change with time, and rows that are sorted by agent and time.

import { orderBy, upperBound } from "./numbers.js";

// Changes of a number, collected in any order, then summed by time.
export class Steps {
  constructor() {
    this.ticks = [];
    this.by = [];
  }

  add(tick, by) {
    this.ticks.push(tick);
    this.by.push(by);
  }

  summed(tickLength) {
    const order = orderBy(Uint32Array.from(this.ticks));
    const time = Float64Array.from(order, (i) => this.ticks[i] * tickLength);
    let sum = 0;
    const total = Int32Array.from(order, (i) => (sum += this.by[i]));
    const at = (t) => {
      const row = upperBound(time, t, 0, time.length);
      return row ? total[row - 1] : 0;
    };
    return { at, last: sum, most: total.reduce((a, b) => Math.max(a, b), 0), size: time.length };
  }
}

// The last row of the agent at or before `t`; one less than its first row if there is none.
export function findRow({ first, time, found }, agent, t) {
  const end = first[agent + 1];
  let row = found[agent];
  if (row < end && time[row] <= t) {
    if (row + 1 >= end || time[row + 1] > t) return row;
    if (row + 2 >= end || time[row + 2] > t) return (found[agent] = row + 1);
  }
  row = upperBound(time, t, first[agent], end) - 1;
  if (row >= first[agent]) found[agent] = row;
  return row;
}
