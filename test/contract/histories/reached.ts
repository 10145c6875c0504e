/** What random histories must have come to at least once, or they prove less than they seem to. */
const GOALS = [
  "admitted by a queue",
  "let through a queue at once",
  "let through a key at once",
  "next of a queue leased by a settlement",
  "queue full",
  "put back into a paused queue",
  "slot held by a callback alone",
  "key at its parallelism",
  "key at its rate",
  "account at its cap",
  "host full",
  "bytes short",
  "published under way",
  "published in vain for a slot",
  "deduplicated",
  "deduplication key taken again",
  "act refused beside others",
  "delivered",
  "retried",
  "dead",
  "stale settlement",
  "callback made",
  "failure callback made",
  "canceled at once",
  "canceled under way",
  "delivered though canceled",
  "canceled when lost",
  "handed back",
  "sent before it was due",
  "sent with others before it was due",
  "lease lost",
  "suspect leased",
  "suspect waits for another",
  "poison buried",
  "node spared by its beat",
  "dead letter removed",
  "dead letter retried",
  "dead letter retried twice",
  "swept",
  "clock stepped back",
  "clock stepped forward",
] as const;

export type Goal = (typeof GOALS)[number];

export class Reached {
  readonly #counts = new Map<Goal, number>();

  add(goal: Goal, times = 1): void {
    if (times > 0) this.#counts.set(goal, (this.#counts.get(goal) ?? 0) + times);
  }

  missed(): Goal[] {
    return GOALS.filter((goal) => !this.#counts.has(goal));
  }

  describe(): string {
    return GOALS.map((goal) => `${goal} ${this.#counts.get(goal) ?? 0}`).join(", ");
  }
}
