import type { Bytes } from "./web-types.ts";

export function bytesFromBase64(text: string): Bytes {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Base64 of UTF-8, as text. Bytes that are not UTF-8 are kept, one character for each. */
export function textFromBase64(text: string): string {
  const binary = atob(text);
  if (!BEYOND_ASCII.test(binary)) return binary;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesFromBase64(text));
  } catch {
    return binary;
  }
}

const BEYOND_ASCII = /[\u0080-\u00FF]/;
