import { Problem } from "../../core/problem.ts";

const HEADERS_MAX = 200;
const HEADER_BYTES_MAX = 16 * 1024;

/** Refuses too many headers, or too many bytes of them. They are name, value, name, value. */
export function requireFewHeaders(rawHeaders: readonly string[]): void {
  if (rawHeaders.length > HEADERS_MAX * 2) {
    throw new Problem("headers-too-large", `the request has more than ${HEADERS_MAX} headers`);
  }
  let characters = 0;
  for (const text of rawHeaders) characters += text.length;
  if (characters > HEADER_BYTES_MAX) {
    throw new Problem("headers-too-large", `the headers have more than ${HEADER_BYTES_MAX} bytes`);
  }
}
