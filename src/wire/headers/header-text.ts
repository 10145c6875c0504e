/** Texts in headers of requests, of which Node gives each byte as one character. */

import type { HeaderList } from "../../core/model/message/message.ts";
import { headerSuffix } from "./header-kind.ts";
import { shownName } from "../../core/shown-name.ts";
import { HALF_OF_A_PAIR, invalidRequest, prefixErrors } from "./header-value.ts";
import { headerRowByName } from "./header.ts";

/** The text of a URL in a header; refused if it is not UTF-8. */
export function urlTextOf(bytes: string): string {
  if (ASCII.test(bytes)) return bytes;
  try {
    return decoder.decode(Buffer.from(bytes, "latin1"));
  } catch {
    throw invalidRequest("is not UTF-8; send the URL percent-encoded");
  }
}

/**
 * Any other text in a header: UTF-8, as curl, Python and Go send it, else Latin-1, as `fetch` does.
 * Either way a label has the same letters in a list, a filter and a batch.
 */
export function textOf(bytes: string): string {
  if (ASCII.test(bytes) || !BYTES.test(bytes)) return bytes;
  try {
    return decoder.decode(Buffer.from(bytes, "latin1"));
  } catch {
    return bytes;
  }
}

/** A text as Node would give it. */
export function utf8BytesOf(text: string): string {
  if (ASCII.test(text)) return text;
  if (!text.isWellFormed()) throw invalidRequest(HALF_OF_A_PAIR);
  return Buffer.from(text).toString("latin1");
}

/** Headers of a JSON document as Node would give those of a request: name, value, name, value. */
export function rawHeadersOf(headers: HeaderList): string[] {
  return headers.flatMap(([name, value]) => [
    name,
    isSetting(name) ? prefixErrors(shownName(name), () => utf8BytesOf(value)) : value,
  ]);
}

/** The value of any other header is passed on as it is. */
function isSetting(name: string): boolean {
  return headerRowByName.has(headerSuffix(name) ?? "");
}

// oxlint-disable-next-line eslint/no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;
// oxlint-disable-next-line eslint/no-control-regex
const BYTES = /^[\u0000-\u00ff]*$/;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
