import type { Settings } from "../../../core/model/message/message.ts";
import { isLarge, partsInMemory } from "../../../operations/message/body-parts.ts";
import { type BodyParts, jsonPieces, jsonWithBody } from "../../../wire/json/json-pieces.ts";
import { ownTurn } from "../../../platform/turn.ts";
import type { Json } from "../../../wire/message/message.ts";

/** Pieces of a JSON document, made as the caller reads them. */
export type Stream = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** The memory of a response. */
export interface Room {
  hold(bytes: number): void;
  /** Holds this much more; false when there is no room for it. */
  grow(bytes: number): boolean;
  release(): void;
}

/** The response to a request as plain values; one function writes all of them. */
export interface Answer {
  readonly status: number;
  /**
   * The text of a JSON document, or empty; or bytes that all callers share, which are never copied.
   * Pieces are sent in chunks.
   */
  readonly body: string | Uint8Array | Stream;
  /** Its media type, where it is not JSON. */
  readonly contentType?: string | undefined;
  /** It continues for as long as its caller listens, with pauses. */
  readonly isLive?: boolean | undefined;
  /** Its memory until it is written. */
  readonly room?: Room | undefined;
  /** Names and values in turn, beyond those of every response. */
  readonly headers?: readonly string[] | undefined;
  /** The same for every caller: its headers say how long it may be kept. */
  readonly isPublic?: boolean | undefined;
}

export function json(status: number, value: Json | readonly (Json | readonly Json[])[]): Answer {
  return { status, body: JSON.stringify(value) };
}

/** A page of a list. The text of a long one is made in several turns, so that other callers are answered between. */
export async function jsonPage<Item>(
  page: Json,
  name: string,
  items: readonly Item[],
  write: (item: Item) => Json,
): Promise<Answer> {
  const parts: string[] = [];
  for (let start = 0; start < items.length; start += ITEMS_A_TURN) {
    if (start > 0) await ownTurn();
    const part = items.slice(start, start + ITEMS_A_TURN);
    parts.push(part.map((item) => JSON.stringify(write(item))).join(","));
  }
  const members = JSON.stringify(page).slice(1, -1);
  const comma = members === "" ? "" : ",";
  return { status: 200, body: `{${members}${comma}"${name}":[${parts.join(",")}]}` };
}

/**
 * A document that may be long, written in pieces as the caller reads; a short one is written at
 * once.
 */
export function longJson(value: Json): Answer {
  const pieces = jsonPieces(value);
  const first = pieces.next();
  const second = pieces.next();
  if (second.done === true) return { status: 200, body: first.value ?? "" };
  return { status: 200, body: joined([first.value ?? "", second.value], pieces) };
}

function* joined(taken: readonly string[], rest: Iterable<string>): Generator<string> {
  yield* taken;
  yield* rest;
}

/** An object whose last member is a body. A large one is read and written in parts. */
export function jsonAndBody(
  body: Uint8Array,
  settings: Pick<Settings, "redact">,
  write: (body: Uint8Array) => Json,
  parts: BodyParts = () => partsInMemory(body),
): Answer {
  if (!isLarge(body, settings)) return json(200, write(body));
  return { status: 200, body: jsonWithBody(write(NO_BYTES), parts) };
}

/** How many a bulk action would change, which was asked in place of it. */
export function counted({ count, isAbout }: { count: number; isAbout: boolean }): Answer {
  return json(200, { dryRun: true, count, isAbout });
}

export const EMPTY: Answer = { status: 200, body: "" };

/** The empty answer, once the work is done. */
export async function emptyAfter(work: Promise<unknown>): Promise<Answer> {
  await work;
  return EMPTY;
}

/** Whether it is made as the caller reads it. */
export function isStream(body: Answer["body"]): body is Stream {
  return typeof body !== "string" && !(body instanceof Uint8Array);
}

/** All headers of a response, as names and values in turn. */
export function headersOf(answer: Answer): readonly string[] {
  const { status, body, headers, contentType, isPublic = false } = answer;
  // Its length would be that of the document that the caller has.
  if (status === 304) return headers ?? [];
  const common = isPublic ? [] : PRIVATE;
  if (isStream(body)) {
    return ["Content-Type", contentType ?? "application/json", ...common, ...(headers ?? [])];
  }
  const length = Buffer.byteLength(body);
  if (contentType !== undefined) {
    const sized = ["Content-Type", contentType, "Content-Length", String(length)];
    return [...sized, ...common, ...(headers ?? [])];
  }
  if (headers !== undefined) return [...baseHeaders(length), ...headers];
  if (length > LENGTHS_KEPT_MAX) return baseHeaders(length);
  return (keptHeaders[length] ??= baseHeaders(length));
}

function baseHeaders(length: number): string[] {
  return length === 0
    ? ["Content-Length", "0", ...PRIVATE]
    : ["Content-Type", "application/json", "Content-Length", String(length), ...PRIVATE];
}

const NO_BYTES = new Uint8Array(0);
/** Less than a millisecond of work. */
const ITEMS_A_TURN = 100;

/** No cache keeps what an account was told, and no browser takes it for a page. */
const PRIVATE = ["Cache-Control", "no-store", "X-Content-Type-Options", "nosniff"] as const;

/** Most responses are short and of few lengths, so their headers are cached. */
const LENGTHS_KEPT_MAX = 256;
const keptHeaders: (readonly string[])[] = [];
