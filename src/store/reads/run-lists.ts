import type { Message } from "../../core/model/message/message.ts";
import {
  entryList,
  extendedList,
  type ListedEntry,
  SENT_BYTES_MAX,
} from "../../core/rules/workflow/run-entries.ts";

const LISTS_BYTES_MAX = 16 * 1024 * 1024;
/** What a cached list uses besides its bytes. */
const OVERHEAD_BYTES = 512;

/**
 * The entries of runs as this node last sent them. A run only grows and its entries never move, so
 * the next delivery is the previous list with one more entry, unless other nodes have added entries
 * in between; then it is read from the store.
 */
export class RunLists {
  readonly #lists = new Map<string, CachedList>();
  #bytes = 0;

  /** Caches the list that is being sent. */
  remember(message: Message, list: Uint8Array): void {
    const { kind, run } = message;
    if (kind !== "step" || run === undefined || list.byteLength === 0) return;
    const key = keyOf(message);
    if ((this.#lists.get(key)?.ordinal ?? -1) >= run.ordinal) return;
    this.#put(key, { ordinal: run.ordinal, list });
  }

  /** The list that ends with this message's entry; null when those before it are not cached. */
  upTo(message: Message, entry: ListedEntry): Uint8Array | null {
    const { ordinal } = message.run!;
    if (ordinal === 0) return entryList([entry]);
    const before = this.#lists.get(keyOf(message));
    if (before?.ordinal !== ordinal - 1) return null;
    const list = extendedList(before.list, entry);
    // The endpoint may have to fetch a list of this size, which the reader of the store decides.
    return list.byteLength > SENT_BYTES_MAX ? null : list;
  }

  #put(key: string, kept: CachedList): void {
    this.#remove(key);
    this.#lists.set(key, kept);
    this.#bytes += kept.list.byteLength + OVERHEAD_BYTES;
    for (const oldest of this.#lists.keys()) {
      if (this.#bytes <= LISTS_BYTES_MAX) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const kept = this.#lists.get(key);
    if (kept === undefined) return;
    this.#bytes -= kept.list.byteLength + OVERHEAD_BYTES;
    this.#lists.delete(key);
  }
}

interface CachedList {
  /** The ordinal of its last entry. */
  readonly ordinal: number;
  readonly list: Uint8Array;
}

function keyOf({ accountId, run }: Message): string {
  return `${accountId}\0${run!.runId}\0${run!.createdAt}`;
}
