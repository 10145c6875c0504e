/** What a body is: text, bytes, hidden, or nothing. */
export type BodyText =
  | { readonly kind: "empty" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The sender hid it; readers get its hash. */
  | { readonly kind: "redacted"; readonly hash: string };

const REDACTED = /^REDACTED:([0-9a-f]{64})$/;

export function bodyOfText(text: string | undefined): BodyText {
  if (text === undefined || text === "") return { kind: "empty" };
  const hash = REDACTED.exec(text)?.[1];
  return hash === undefined ? { kind: "text", text } : { kind: "redacted", hash };
}

/** Of a body that was cut, the last character may be there in part: it is left out. */
export function bodyOfBase64(base64: string | undefined, isCut = false): BodyText {
  if (base64 === undefined || base64 === "") return { kind: "empty" };
  if (REDACTED.test(base64)) return bodyOfText(base64);
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  try {
    return bodyOfText(new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut }));
  } catch {
    return { kind: "binary", bytes };
  }
}

/** For commands and copies: the text, or null when it cannot be written as one. */
export function plainText(body: BodyText): string | null {
  if (body.kind === "text") return body.text;
  return body.kind === "empty" ? "" : null;
}
