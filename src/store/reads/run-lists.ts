import type { Message } from "../../core/model/message/message.ts";
import {
  entryList,
  extendedList,
  type ListedEntry,
  SENT_BYTES_MAX,
} from "../../core/rules/workflow/entry-list.ts";

const LISTS_BYTES_MAX = 16 * 1024 * 1024;
/** What keeping a list takes up beside its bytes. */
const KEPT_BYTES = 512;

/**
 * The entries of runs as they were last sent from this node. A run only grows, and the place of an
 * entry never changes: so the next delivery is what was sent before with one entry more, unless
 * others have added something in between. Then it is read.
 */
export class RunLists {
  readonly #lists = new Map<string, KeptList>();
  #bytes = 0;

  /** Remembers what is being sent. */
  keep(message: Message, list: Uint8Array): void {
    const { kind, run } = message;
    if (kind !== "step" || run === undefined || list.byteLength === 0) return;
    const key = keyOf(message);
    if ((this.#lists.get(key)?.ordinal ?? -1) >= run.ordinal) return;
    this.#put(key, { ordinal: run.ordinal, list });
  }

  /** The list that ends with the entry of this message; null when what comes before is not known. */
  upTo(message: Message, entry: ListedEntry): Uint8Array | null {
    const { ordinal } = message.run!;
    if (ordinal === 0) return entryList([entry]);
    const before = this.#lists.get(keyOf(message));
    if (before?.ordinal !== ordinal - 1) return null;
    const list = extendedList(before.list, entry);
    // The endpoint may want to fetch it instead, which is for those to say who read it.
    return list.byteLength > SENT_BYTES_MAX ? null : list;
  }

  #put(key: string, kept: KeptList): void {
    this.#remove(key);
    this.#lists.set(key, kept);
    this.#bytes += kept.list.byteLength + KEPT_BYTES;
    for (const oldest of this.#lists.keys()) {
      if (this.#bytes <= LISTS_BYTES_MAX) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const kept = this.#lists.get(key);
    if (kept === undefined) return;
    this.#bytes -= kept.list.byteLength + KEPT_BYTES;
    this.#lists.delete(key);
  }
}

interface KeptList {
  /** Of its last entry. */
  readonly ordinal: number;
  readonly list: Uint8Array;
}

function keyOf({ accountId, run }: Message): string {
  return `${accountId}\0${run!.runId}\0${run!.createdAt}`;
}
