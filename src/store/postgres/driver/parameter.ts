/** A value in the form in which it is sent. */
export type Parameter = string | Buffer | null;

/**
 * Like pg's own conversion, which scans each array element twice for characters to escape; writing
 * a message sends some thirty arrays.
 */
export function toParameter(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return arrayText(value);
  if (Buffer.isBuffer(value)) return value;
  if (!(value instanceof Uint8Array)) throw new TypeError("a value that has no text");
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
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
