import type { Change } from "../../change.ts";
import type { AccountLimits } from "../../model/account/account.ts";
import {
  isReplayed,
  type RunEntry,
  type RunState,
  callTypeOf,
  type EntryKind,
  type Run,
} from "../../model/workflow/run.ts";

/** Refusals are answers, not errors: the run may have ended before the submission arrived. */
export type Refused =
  /** The run has ended, or never existed. */
  | { readonly kind: "ended" }
  /** The run would exceed a limit of runs. */
  | { readonly kind: "too-much"; readonly what: "entries" | "bytes" | "events" };

/** The most entries of a run; each delivery carries all earlier ones. */
export const ENTRIES_MAX = 20_000;
const RUN_BYTES_MAX = 100 * 1024 * 1024;

/** The result of a call is escaped twice, and so may be six times as large as the response. */
export function stepBytesMax({ messageBytesMax }: Pick<AccountLimits, "messageBytesMax">): number {
  return Math.min(6 * messageBytesMax, RUN_BYTES_MAX);
}

/** The row of a new run with its first entries. */
export function newRunState(run: Run, entries: readonly RunEntry[]): RunState {
  const { accountId, runId, createdAt } = run;
  const replayed = entries.filter(({ kind }) => isReplayed(kind));
  return {
    accountId,
    runId,
    createdAt,
    phase: "started",
    nextOrdinal: (entries.at(-1)?.ordinal ?? -1) + 1,
    bytes: replayed.reduce((bytes, entry) => bytes + listedBytes(entry), LIST_BYTES),
    storedEvents: 0,
    endedAt: null,
    failure: null,
    run,
  };
}

interface Grown {
  readonly state: RunState;
  readonly ordinal: number;
  readonly change: Change;
}

type NewEntry = Omit<RunEntry, "accountId" | "runId" | "createdAt" | "ordinal">;

/** Adds an entry to the end of a run. Its ordinal comes from the run's row, which is locked. */
export function grow(state: RunState, entry: NewEntry): Grown {
  const { accountId, runId, createdAt, nextOrdinal: ordinal } = state;
  const bytes = isReplayed(entry.kind) ? listedBytes(entry) : 0;
  return {
    state: { ...state, nextOrdinal: ordinal + 1, bytes: state.bytes + bytes },
    ordinal,
    change: { type: "run-entry.added", entry: { accountId, runId, createdAt, ordinal, ...entry } },
  };
}

/** The limit that a run exceeds; null when it may be stored. */
export function excess(state: RunState): "entries" | "bytes" | null {
  if (state.nextOrdinal > ENTRIES_MAX) return "entries";
  return state.bytes > RUN_BYTES_MAX ? "bytes" : null;
}

const encoder = new TextEncoder();

/** The sent part of an entry. */
export type ListedEntry = Pick<RunEntry, "messageId" | "kind" | "body">;

/** Compact JSON, since some frameworks encode it again before they verify its signature. */
export function entryList(entries: readonly ListedEntry[]): Uint8Array {
  return encoder.encode(`[${entries.map(textOf).join(",")}]`);
}

/** The sent form of an entry, in pieces, since it may be large. */
export function* entryPieces({ messageId, kind, body }: ListedEntry): Generator<string> {
  yield headOf(messageId, kind);
  for (let start = 0; start < body.byteLength; start += PIECE_BYTES) {
    yield base64(body.subarray(start, start + PIECE_BYTES));
  }
  yield '"}';
}

/** A list with one more entry, made from the bytes of the list. */
export function extendedList(list: Uint8Array, entry: ListedEntry): Uint8Array {
  const added = encoder.encode(`,${textOf(entry)}]`);
  const open = list.byteLength - 1;
  const longer = new Uint8Array(open + added.byteLength);
  longer.set(list.subarray(0, open));
  longer.set(added, open);
  return longer;
}

/** How many bytes an entry adds to the list, with its comma. */
export function listedBytes({ messageId, kind, body }: ListedEntry): number {
  return headOf(messageId, kind).length + 4 * Math.ceil(body.byteLength / 3) + 3;
}

/** The brackets around a list, less the comma that its first entry lacks. */
export const LIST_BYTES = 1;

/** A larger list is fetched by endpoints that can do so. */
export const SENT_BYTES_MAX = 3 * 1024 * 1024;

/** A multiple of three, so that base64 pieces can be joined. */
const PIECE_BYTES = 48 * 1024;

function textOf({ messageId, kind, body }: ListedEntry): string {
  return `${headOf(messageId, kind)}${base64(body)}"}`;
}

/** Our ids hold no character that JSON would have to escape. */
function headOf(messageId: string, kind: EntryKind): string {
  return `{"messageId":"${messageId}","callType":"${callTypeOf(kind)}","body":"`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
