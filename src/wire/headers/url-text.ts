/** URLs in headers of requests, of which Node gives each byte as one character. */

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

/** A URL as Node would give it. */
export function urlBytesOf(text: string): string {
  if (ASCII.test(text)) return text;
  if (!text.isWellFormed()) throw invalidRequest(HALF_OF_A_PAIR);
  return Buffer.from(text).toString("latin1");
}

/** Headers of a JSON document as Node would give those of a request: name, value, name, value. */
export function rawHeadersOf(headers: HeaderList): string[] {
  return headers.flatMap(([name, value]) => [
    name,
    isUrl(name) ? prefixErrors(shownName(name), () => urlBytesOf(value)) : value,
  ]);
}

function isUrl(name: string): boolean {
  return headerRowByName.get(headerSuffix(name) ?? "")?.isUrl === true;
}

// oxlint-disable-next-line eslint/no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
