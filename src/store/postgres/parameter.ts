/**
 * A value as it travels. pg writes arrays too, but looks twice through every element for what is to
 * be escaped, and there are some thirty in what is written for a message.
 */
export function toParameter(value: unknown): unknown {
  return Array.isArray(value) ? arrayText(value) : value;
}

function arrayText(elements: readonly unknown[]): string {
  let text = "";
  for (const element of elements) text += (text === "" ? "{" : ",") + elementText(element);
  return text === "" ? "{}" : `${text}}`;
}

function elementText(element: unknown): string {
  if (element === null || element === undefined) return "NULL";
  if (typeof element === "number" || typeof element === "boolean") return String(element);
  if (typeof element !== "string") throw new TypeError("an array of what has no text");
  return NEEDS_ESCAPE.test(element)
    ? `"${element.replaceAll(NEEDS_ESCAPE_ALL, "\\$&")}"`
    : `"${element}"`;
}

const NEEDS_ESCAPE = /["\\]/;
const NEEDS_ESCAPE_ALL = /["\\]/g;
