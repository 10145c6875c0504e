import type { Reader } from "../reader.ts";
import type { PageRequest } from "../reader/page.ts";
import type { DriverReader } from "./reading.ts";
import { everyMethod, type Read } from "./read-kinds.ts";
import { readPage, type Slice } from "./slices.ts";

/** A reader over a driver whose lists take turns between accounts. */
export function listReader(driver: DriverReader, readsMax: number): Reader {
  const turns = new ListTurns(readsMax);
  return everyMethod(({ noun, method, kind }) => {
    const reads = driver[noun] as unknown as Readonly<Record<string, Read>>;
    const read = reads[method]!;
    if (kind === "pages") {
      return (accountId, filter, page) =>
        readPage({ order: "earliestFirst", ...(page as Page) }, (slice) =>
          turns.take(accountId as string, async () => {
            return (await read(accountId, filter, slice)) as Slice<unknown>;
          }),
        );
    }
    if (kind !== "list") return read;
    return (owner, ...asked) => turns.take(accountOf(owner as Owner), () => read(owner, ...asked));
  });
}

/** Some lists have one order only, that of their ids. */
type Page = Omit<PageRequest, "order"> & Partial<PageRequest>;

type Owner = string | { readonly accountId: string };

function accountOf(owner: Owner): string {
  return typeof owner === "string" ? owner : owner.accountId;
}

/**
 * Lets the lists of all accounts take turns. A few reads are under way at once; the next one
 * belongs to the account that has waited longest for its turn, however many reads it has waiting.
 */
export class ListTurns {
  readonly #readsMax: number;
  /** Waiting reads by account; the first account is next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #underWay = 0;

  constructor(readsMax: number) {
    this.#readsMax = readsMax;
  }

  async take<T>(accountId: string, read: () => Promise<T>): Promise<T> {
    if (this.#underWay < this.#readsMax) this.#underWay += 1;
    else await this.#turn(accountId);
    try {
      return await read();
    } finally {
      this.#next();
    }
  }

  #turn(accountId: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(accountId);
      if (waiting === undefined) this.#waiting.set(accountId, [resolve]);
      else waiting.push(resolve);
    });
  }

  /** Passes the turn of a read that has ended to the next account. */
  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#underWay -= 1;
      return;
    }
    const [accountId, waiting] = next;
    const start = waiting.shift()!;
    this.#waiting.delete(accountId);
    if (waiting.length > 0) this.#waiting.set(accountId, waiting);
    start();
  }
}
