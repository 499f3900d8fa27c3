// Check: whether a message is as the table of messages says, which the server and its workers follow too.

import { SHAPES, TYPES } from "./messages.js";

/**
 * What is wrong with a message, in words; "" if nothing is.
 * @param {"requests" | "answers"} way  from the page, or to it
 * @param {any} message
 */
export function problemOf(way, message) {
  const name = TYPES[way][message?.type];
  return name ? problem(SHAPES[name], message, message.type) : `there is no message of type ${message?.type}`;
}

/** @param {any} shape @param {any} value @param {string} where @returns {string} */
function problem(shape, value, where) {
  if (shape === true) return "";
  if (shape.$ref) return problem(SHAPES[shape.$ref], value, where);
  if (shape.anyOf) {
    const problems = shape.anyOf.map((/** @type {any} */ each) => problem(each, value, where));
    return problems.includes("") ? "" : problems[0];
  }
  if ("const" in shape) return value === shape.const ? "" : `${where} is not ${shape.const}`;
  if (shape.enum) return shape.enum.includes(value) ? "" : `${where} is none of ${shape.enum.join(", ")}`;
  if (!shape.type) return "";
  if (!IS[shape.type](value)) return `${where} is no ${shape.type}`;
  if (shape.type === "array") return problemOfList(shape, value, where);
  if (shape.type === "object") return problemOfObject(shape, value, where);
  if (shape.type === "null") return "";
  if (value.length > shape.maxLength) return `${where} is longer than ${shape.maxLength}`;
  const isLow = value < shape.minimum || value <= shape.exclusiveMinimum;
  const isHigh = value > shape.maximum || value >= shape.exclusiveMaximum;
  return isLow || isHigh ? `${where} is out of bounds: ${value}` : "";
}

/** @type {Record<string, (value: any) => boolean>} */
const IS = {
  integer: Number.isInteger,
  number: Number.isFinite,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** @param {any} shape @param {any[]} values @param {string} where */
function problemOfList(shape, values, where) {
  if (values.length < shape.minItems || values.length > shape.maxItems) return `${where} has ${values.length} items`;
  for (const [i, value] of values.entries()) {
    const found = problem(shape.prefixItems?.[i] ?? shape.items ?? {}, value, `${where}.${i}`);
    if (found) return found;
  }
  return "";
}

/** @param {any} shape @param {Record<string, any>} value @param {string} where */
function problemOfObject(shape, value, where) {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  const missing = (shape.required ?? []).find((/** @type {string} */ name) => !names.includes(name));
  if (missing) return `${where}.${missing} is missing`;
  if (names.length > shape.maxProperties) return `${where} has ${names.length} fields`;
  for (const name of names) {
    const field = shape.properties?.[name] ?? shape.additionalProperties ?? {};
    if (field === false) return `${where} has no field ${name}`;
    const found = (shape.propertyNames ? problem(shape.propertyNames, name, `${where}: a name`) : "") || problem(field, value[name], `${where}.${name}`);
    if (found) return found;
  }
  return "";
}
