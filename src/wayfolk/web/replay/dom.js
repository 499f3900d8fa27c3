// DOM: small pieces of the page.

/**
 * The element of the page with this id. What kind of element it is, is written in the page.
 * @type {(id: string) => any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * All elements of the page that a selector fits.
 * @type {(selector: string) => any[]}
 */
export const allOf = (selector) => [...document.querySelectorAll(selector)];

/** Let no element have the focus. */
export function blur() {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

export function addPair(list, name, value) {
  const row = document.createElement("div");
  const term = document.createElement("dt");
  const detail = document.createElement("dd");
  term.textContent = name;
  detail.textContent = value;
  row.append(term, detail);
  list.append(row);
  return detail;
}

export function fillList(list, pairs) {
  for (const [name, value] of pairs) addPair(list, name, value);
}

// A number, and a smaller one behind it; the page is touched only when they change.
export function setParts(node, text, small = "") {
  if (node.dataset.text === text + small) return;
  node.dataset.text = text + small;
  node.textContent = text;
  if (!small) return;
  const part = document.createElement("small");
  part.textContent = small;
  node.append(part);
}
