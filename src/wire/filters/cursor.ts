import { createHmac, timingSafeEqual } from "node:crypto";
import { textOf } from "../message/body.ts";
import { invalidRequest } from "../headers/header-value.ts";

const SEAL_BYTES = 16;
const CHARACTERS_MAX = 1_024;
const DIGITS = /^[1-9][0-9]*$/;
/** A leading hexadecimal digit of a cursor's number, so that zeros after it are kept. */
const MARK = "1";
const NEWEST = "0";
const MILLISECOND = /^[0-9]{13}$/;

/** Which list a cursor belongs to; it does not open another. */
export type CursorScope = "logs" | "messages" | "dead-letters" | "runs" | "run-events" | "stream";

/** Where a page of a list by time starts, and how new its entries may be. */
export interface DatedPosition {
  /** Null for the beginning of the list. */
  readonly position: string | null;
  readonly toAt: number | undefined;
}

/**
 * Seals the position where a page ended. It holds no more: account and filters come with a request.
 * It is a number of 39 digits or more, since clients compare cursors with numbers.
 */
export function writeCursor(secret: string, scope: CursorScope, position: string): string {
  const payload = Buffer.from(position);
  const sealed = Buffer.concat([seal(secret, scope, payload), payload]);
  return BigInt(`0x${MARK}${sealed.toString("hex")}`).toString();
}

/** The position in a cursor that one of the secrets has sealed; a Problem for any other text. */
export function readCursor(secrets: readonly string[], scope: CursorScope, cursor: string): string {
  if (cursor.length > CHARACTERS_MAX || !DIGITS.test(cursor)) throw foreign();
  const digits = BigInt(cursor).toString(16);
  if (!digits.startsWith(MARK) || digits.length % 2 === 0) throw foreign();
  const sealed = Buffer.from(digits.slice(MARK.length), "hex");
  if (sealed.length < SEAL_BYTES) throw foreign();
  const payload = sealed.subarray(SEAL_BYTES);
  const found = sealed.subarray(0, SEAL_BYTES);
  const isOwn = (secret: string): boolean => timingSafeEqual(found, seal(secret, scope, payload));
  if (!secrets.some(isOwn)) throw foreign();
  const position = textOf(payload);
  if (position === null) throw foreign();
  return position;
}

export function writeDatedCursor(
  secret: string,
  scope: CursorScope,
  { position, toAt }: DatedPosition & { readonly position: string },
): string {
  return writeCursor(secret, scope, toAt === undefined ? position : `${position}@${toAt}`);
}

/** Callers may also start such a list at any time: 13 digits are a millisecond. */
export function readDatedCursor(
  secrets: readonly string[],
  scope: CursorScope,
  cursor: string,
): DatedPosition {
  if (cursor === NEWEST) return { position: null, toAt: undefined };
  if (MILLISECOND.test(cursor)) return { position: null, toAt: Number(cursor) };
  const [position = "", toAt] = readCursor(secrets, scope, cursor).split("@");
  return { position, toAt: toAt === undefined ? undefined : Number(toAt) };
}

function seal(secret: string, scope: CursorScope, payload: Uint8Array): Buffer {
  const whole = createHmac("sha256", secret).update(`cursor ${scope} `).update(payload).digest();
  return whole.subarray(0, SEAL_BYTES);
}

function foreign() {
  return invalidRequest("cursor: is not one that this list has answered");
}
