// Comparison: the table of metrics of algorithms side by side.

import { isLessBetter, metricsOf } from "./charts.js";

/** Write the metrics of all panels into a table, the best ones marked. @param {any} table @param {any[]} slots */
export function fillComparison(table, slots) {
  const columns = slots.map(({ timeline }) => metricsOf(timeline));
  const cell = (tag, text, isBest = false) => Object.assign(document.createElement(tag), { textContent: text, className: isBest ? "best" : "" });
  const head = document.createElement("tr");
  head.append(cell("th", ""), ...slots.map(({ head: { title } }) => cell("th", title)));
  const rows = Object.keys(columns[0]).map((name) => {
    const values = columns.map((column) => column[name]);
    const isLess = isLessBetter(name);
    const best = isLess === undefined ? NaN : isLess ? Math.min(...values) : Math.max(...values);
    const row = document.createElement("tr");
    const shown = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2));
    row.append(cell("th", name), ...values.map((value) => cell("td", shown(value), value === best && new Set(values).size > 1)));
    return row;
  });
  table.querySelector("thead").replaceChildren(head);
  table.querySelector("tbody").replaceChildren(...rows);
}
