// Docstring: the text about an algorithm as elements of the page.

// A docstring as paragraphs; `Guarantees`, `Cost` ... at the beginning of a line are headings, indented blocks stay as they are.
export function written(text) {
  const parts = [];
  for (const block of text.split(/\n\s*\n/)) {
    const heads = block.split(/\n(?=(?:Guarantees|Invariants?|Cost|Deviations)\s{1,})/);
    for (const each of heads) {
      const match = /^(Guarantees|Invariants?|Cost|Deviations)\s+/.exec(each);
      if (match) parts.push(Object.assign(document.createElement("h3"), { textContent: match[1] }));
      const rest = match ? each.slice(match[0].length) : each;
      const isCode = !match && /^ {4}/.test(rest);
      const node = document.createElement(isCode ? "pre" : "p");
      node.textContent = isCode ? rest : rest.replace(/\s*\n\s*/g, " ");
      parts.push(node);
    }
  }
  return parts;
}
