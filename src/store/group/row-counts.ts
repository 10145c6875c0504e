import { lineKind, type LineKey } from "../../core/model/line/line.ts";
import type { CountedNoun, CountKey } from "../../core/rule.ts";

/** How many limited resources an account has, including those the rules of a group have added. */
export class RowCounts {
  readonly #counts = new Map<string, number>();

  load({ accountId, noun }: CountKey, count: number): void {
    this.#counts.set(nameOf(accountId, noun), count);
  }

  get({ accountId, noun }: CountKey): number {
    const count = this.#counts.get(nameOf(accountId, noun));
    if (count === undefined) throw new Error(`a rule counts ${noun} without having asked for it`);
    return count;
  }

  /** A count that no rule needs is not kept. */
  change(accountId: string, noun: CountedNoun, by: 1 | -1): void {
    const name = nameOf(accountId, noun);
    const count = this.#counts.get(name);
    if (count !== undefined) this.#counts.set(name, count + by);
  }
}

/** The resource that a line counts as; null for one that is not limited. */
export function countedLine({ line }: LineKey): CountedNoun | null {
  return lineKind(line) === "queue" ? "queues" : null;
}

const nameOf = (accountId: string, noun: CountedNoun): string => `${accountId}\0${noun}`;

export const COUNT_SQL: Readonly<Record<CountedNoun, string>> = {
  urlGroups: "SELECT count(*) AS count FROM url_groups WHERE account_id = $1",
  schedules: "SELECT count(*) AS count FROM schedules WHERE account_id = $1",
  queues: `SELECT count(*) AS count FROM line_limits
    WHERE account_id = $1 AND line >= 'q:' AND line < 'q;'`,
};
