import { createHmac, timingSafeEqual } from "node:crypto";
import { textOf } from "./body.ts";
import { refusal } from "./header-value.ts";

const SEAL_BYTES = 16;
const CHARACTERS_MAX = 1_024;
const SHAPE = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{22})$/;

/** Which list a cursor belongs to; it does not open another. */
export type CursorScope = "logs" | "messages" | "dead-letters" | "runs" | "run-events";

/** Seals the place where a page ended. It holds no more: account and filters come with a request. */
export function writeCursor(secret: string, scope: CursorScope, position: string): string {
  const payload = Buffer.from(position).toString("base64url");
  return `${payload}.${seal(secret, scope, payload).toString("base64url")}`;
}

/** The place that a cursor of ours marks; a Problem for any other text. */
export function readCursor(secret: string, scope: CursorScope, cursor: string): string {
  const match = cursor.length > CHARACTERS_MAX ? null : SHAPE.exec(cursor);
  if (match === null) throw foreign();
  const [, payload = "", given = ""] = match;
  const expected = seal(secret, scope, payload);
  const actual = Buffer.from(given, "base64url");
  if (actual.length !== SEAL_BYTES || !timingSafeEqual(actual, expected)) throw foreign();
  const position = textOf(Buffer.from(payload, "base64url"));
  if (position === null) throw foreign();
  return position;
}

function seal(secret: string, scope: CursorScope, payload: string): Buffer {
  const whole = createHmac("sha256", secret).update(`cursor ${scope} ${payload}`).digest();
  return whole.subarray(0, SEAL_BYTES);
}

function foreign() {
  return refusal("cursor: is not one that this list has answered");
}
