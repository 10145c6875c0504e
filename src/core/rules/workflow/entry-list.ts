import { callTypeOf, type EntryKind, type RunEntry } from "../../model/workflow/run-entry.ts";

const encoder = new TextEncoder();

/** What is sent of an entry. */
export type ListedEntry = Pick<RunEntry, "messageId" | "kind" | "body">;

/**
 * The list of entries that an endpoint replays: compact JSON, since some frameworks write it anew
 * before they check its signature.
 */
export function entryList(entries: readonly ListedEntry[]): Uint8Array {
  return encoder.encode(`[${entries.map(textOf).join(",")}]`);
}

/** What is sent of an entry, in pieces, since it may be large. */
export function* entryPieces({ messageId, kind, body }: ListedEntry): Generator<string> {
  yield headOf(messageId, kind);
  for (let start = 0; start < body.byteLength; start += PIECE_BYTES) {
    yield base64(body.subarray(start, start + PIECE_BYTES));
  }
  yield '"}';
}

/** A list with one entry more, made from the bytes of the list. */
export function extendedList(list: Uint8Array, entry: ListedEntry): Uint8Array {
  const added = encoder.encode(`,${textOf(entry)}]`);
  const open = list.byteLength - 1;
  const longer = new Uint8Array(open + added.byteLength);
  longer.set(list.subarray(0, open));
  longer.set(added, open);
  return longer;
}

/** How much longer an entry makes the list, with the comma between two. */
export function listedBytes({ messageId, kind, body }: ListedEntry): number {
  return headOf(messageId, kind).length + 4 * Math.ceil(body.byteLength / 3) + 3;
}

/** The brackets around a list, less the comma that its first entry has too many. */
export const LIST_BYTES = 1;

/** A list that is larger is fetched by endpoints that can do so. */
export const SENT_BYTES_MAX = 3 * 1024 * 1024;

/** Base64 makes whole groups of it. */
const PIECE_BYTES = 48 * 1024;

function textOf({ messageId, kind, body }: ListedEntry): string {
  return `${headOf(messageId, kind)}${base64(body)}"}`;
}

/** Ids of ours hold nothing that JSON would have to escape. */
function headOf(messageId: string, kind: EntryKind): string {
  return `{"messageId":"${messageId}","callType":"${callTypeOf(kind)}","body":"`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
