import { refusal } from "../headers/header-value.ts";
import { afterBlanks, CLOSE_ARRAY, endOfValue, OPEN_ARRAY } from "./json-scan.ts";
import { DEPTH_MAX, parseJson, tooDeep } from "./json.ts";

/**
 * The elements of a JSON array, each parsed on demand: a large document is not built as a whole,
 * and its reader can give other requests a turn in between. Only the end shows whether the document
 * is valid.
 */
export function* jsonElements(json: Uint8Array): Generator {
  let at = afterBlanks(json, 0);
  if (json[at] !== OPEN_ARRAY) throw malformed();
  at = afterBlanks(json, at + 1);
  if (json[at] !== CLOSE_ARRAY) {
    for (;;) {
      // One level is the array itself.
      const end = endOfValue(json, at, DEPTH_MAX - 1) ?? tooDeep();
      if (end === json.byteLength) throw malformed();
      yield parseJson(json.subarray(at, end));
      at = end;
      if (json[at] === CLOSE_ARRAY) break;
      at += 1;
    }
  }
  if (afterBlanks(json, at + 1) !== json.byteLength) throw malformed();
}

function malformed() {
  return refusal("body: is not a JSON array");
}
