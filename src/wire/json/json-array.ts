import {
  afterBlanks,
  CLOSE_ARRAY,
  COMMA,
  JSON_LIMITS,
  measureJson,
  OPEN_ARRAY,
} from "../../core/policy/limits/json-scan.ts";
import { refusal } from "../headers/header-value.ts";
import { parseJson, requireParsable } from "./json.ts";

/**
 * The elements of a JSON array, each parsed on demand: a large document is not built as a whole,
 * and its reader can give other requests a turn in between. Only the end shows whether the document
 * is valid. An element has at most so many bytes besides its longest string.
 */
export function* jsonElements(json: Uint8Array, bytesMax: number): Generator {
  const limits = { ...JSON_LIMITS, bytesMax };
  let at = afterBlanks(json, 0);
  if (json[at] !== OPEN_ARRAY) throw malformed();
  at = afterBlanks(json, at + 1);
  if (json[at] !== CLOSE_ARRAY) {
    for (let index = 0; ; index++) {
      const { end } = requireParsable(measureJson(json, at, limits), limits, `body[${index}]`);
      if (json[end] !== COMMA && json[end] !== CLOSE_ARRAY) throw malformed();
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
