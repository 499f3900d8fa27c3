// Options: the field of an option of an algorithm, and the value in it.

/** @param {any} option  as the catalogue has it @param {any} value */
export function field(option, value) {
  if (option.choices || option.type.startsWith("bool")) {
    const select = document.createElement("select");
    select.name = option.name;
    for (const choice of option.choices ?? [true, false]) select.add(new Option(String(choice), JSON.stringify(choice)));
    select.value = JSON.stringify(value);
    return select;
  }
  const input = document.createElement("input");
  Object.assign(input, { name: option.name, type: "number", step: option.type.startsWith("int") ? "1" : "any", value: value ?? "" });
  if (option.least !== undefined) input.min = option.least;
  if (option.most !== undefined) input.max = option.most;
  if (value === null) input.placeholder = "none";
  return input;
}

/** @param {any} node @param {any} option */
export function valueOf(node, option) {
  if (node instanceof HTMLSelectElement) return JSON.parse(node.value);
  return node.value === "" ? option.default : Number(node.value);
}
