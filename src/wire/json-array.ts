import { refusal } from "./header-value.ts";
import {
  afterBlanks,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  endOfString,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "./json-scan.ts";
import { parseJson } from "./json.ts";

/**
 * The elements of a JSON array, each parsed when it is asked for: a large document is not built as
 * a whole, and whoever reads it can let others have their turn in between. That the document is
 * sound is known only at its end.
 */
export function* jsonElements(json: Uint8Array): Generator {
  let at = afterBlanks(json, 0);
  if (json[at] !== OPEN_ARRAY) throw malformed();
  at = afterBlanks(json, at + 1);
  if (json[at] !== CLOSE_ARRAY) {
    for (;;) {
      const end = endOfElement(json, at);
      yield parseJson(json.subarray(at, end));
      at = end;
      if (json[at] === CLOSE_ARRAY) break;
      at += 1;
    }
  }
  if (afterBlanks(json, at + 1) !== json.byteLength) throw malformed();
}

/** Where the comma or the bracket stands that ends an element. */
function endOfElement(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.byteLength; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_ARRAY)) return at;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  throw malformed();
}

function malformed() {
  return refusal("body: is not a JSON array");
}
