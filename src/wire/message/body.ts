const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text when the bytes are UTF-8, null otherwise. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** A body as shown: text or base64, never both, neither when it is empty. */
export function shownBody(body: Uint8Array | string): {
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
} {
  if (typeof body === "string") return { text: body };
  if (body.byteLength === 0) return {};
  const text = textOf(body);
  return text === null ? { base64: base64Of(body) } : { text };
}

/** A body where only base64 is expected; the marker of a redacted one stays readable. */
export function shownBase64(body: Uint8Array | string): string | undefined {
  if (typeof body === "string") return body;
  return body.byteLength === 0 ? undefined : base64Of(body);
}
