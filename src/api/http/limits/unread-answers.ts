import type { IncomingMessage } from "node:http";
import type { Room } from "../answers/answer.ts";

const MEBIBYTE = 1024 * 1024;
/** Bytes of written answers that their callers have not read: of all callers, and of one. */
export const UNREAD_BYTES_MAX = 64 * MEBIBYTE;
export const OWNER_UNREAD_BYTES_MAX = 16 * MEBIBYTE;
/** What Node keeps for a request until its answer is read, besides the text of its head. */
export const REQUEST_BYTES = 4 * 1024;

interface Unread {
  bytes: number;
  readonly end: () => void;
}

interface Owner {
  readonly name: string;
  bytes: number;
  /** The oldest first. */
  readonly answers: Set<Unread>;
}

/**
 * The memory of answers that are written but not read, by owner: an account, or the address of a
 * caller without one. When it is full, the owner that holds most loses the connection of its oldest
 * answer, so that callers who read are never refused for those who do not.
 */
export class UnreadAnswers {
  readonly #owners = new Map<string, Owner>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Charges an answer; `end` closes its connection. Call the function when it is read. */
  hold(ownerName: string, bytes: number, end: () => void): () => void {
    const owner = this.#owners.get(ownerName) ?? { name: ownerName, bytes: 0, answers: new Set() };
    this.#owners.set(ownerName, owner);
    const unread = { bytes, end };
    owner.answers.add(unread);
    owner.bytes += bytes;
    this.#bytes += bytes;
    this.#shrink(owner);
    return () => this.#release(owner, unread);
  }

  #shrink(owner: Owner): void {
    // An answer alone may be larger than the share of its owner.
    while (owner.bytes > OWNER_UNREAD_BYTES_MAX && owner.answers.size > 1) this.#endOldest(owner);
    while (this.#bytes > UNREAD_BYTES_MAX) {
      const loser = this.#largestOwner() ?? this.#firstBut(owner);
      if (loser === undefined) return;
      this.#endOldest(loser);
    }
  }

  #endOldest(owner: Owner): void {
    const [oldest] = owner.answers;
    this.#release(owner, oldest!);
    oldest!.end();
  }

  /** Of the owners with several answers. */
  #largestOwner(): Owner | undefined {
    let largest: Owner | undefined;
    for (const owner of this.#owners.values()) {
      if (owner.answers.size > 1 && owner.bytes > (largest?.bytes ?? 0)) largest = owner;
    }
    return largest;
  }

  /** Where every owner has one answer, the one that has waited longest; never the newest. */
  #firstBut(newest: Owner): Owner | undefined {
    for (const owner of this.#owners.values()) if (owner !== newest) return owner;
    return undefined;
  }

  #release(owner: Owner, unread: Unread): void {
    if (!owner.answers.delete(unread)) return;
    owner.bytes -= unread.bytes;
    this.#bytes -= unread.bytes;
    if (owner.answers.size === 0) this.#owners.delete(owner.name);
  }
}

/** The memory of one answer that did not reserve any before it was made. */
export class UnreadRoom implements Room {
  readonly #unread: UnreadAnswers;
  readonly #owner: () => string;
  readonly #request: IncomingMessage;
  #release: (() => void) | null = null;

  constructor(unread: UnreadAnswers, owner: () => string, request: IncomingMessage) {
    this.#unread = unread;
    this.#owner = owner;
    this.#request = request;
  }

  hold(bytes: number): void {
    const end = (): void => void this.#request.socket.destroy();
    const heldBytes = REQUEST_BYTES + headBytes(this.#request) + bytes;
    this.#release ??= this.#unread.hold(this.#owner(), heldBytes, end);
  }

  /** The answer is charged once; one that does not fit ends the oldest of its owner. */
  grow(bytes: number): boolean {
    this.hold(bytes);
    return true;
  }

  release(): void {
    this.#release?.();
    this.#release = null;
  }
}

/** A caller may send a target of many kilobytes. */
function headBytes({ url = "", rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}
