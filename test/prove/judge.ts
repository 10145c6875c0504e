import type { Ledger } from "./load.ts";
import { call } from "./service-process.ts";
import type { RecordingSink } from "./sink.ts";

export interface Judgement {
  readonly acknowledged: number;
  readonly unknown: number;
  readonly delivered: number;
  readonly deadLettered: number;
  readonly canceled: number;
  readonly lost: number;
  /** Good receipts beyond the first. */
  readonly duplicates: number;
  /** Of those, the ones that no kill lies before. */
  readonly unexplained: number;
}

/** From when the signal was sent until the process was gone. */
export interface Kill {
  readonly from: number;
  readonly until: number;
}

/** A request that a process had sent when it died may be read by the sink this much later. */
const ON_THE_WAY_MS = 2_000;
const DRAIN_MS_MAX = 120_000;

/** Waits until everything that was promised has come to an end, then counts what did not. */
export async function judge(
  ledger: Ledger,
  sink: RecordingSink,
  url: string,
  kills: readonly Kill[],
): Promise<Judgement> {
  const until = performance.now() + DRAIN_MS_MAX;
  for (;;) {
    const dead = await deadLetters(url);
    const good = goodReceipts(sink);
    const open = [...ledger.acknowledged.keys()].filter(
      (id) => !good.has(id) && !dead.has(id) && !wasCanceled(ledger, id),
    );
    if (open.length === 0 || performance.now() > until)
      return count(ledger, good, dead, open.length, kills);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function count(
  ledger: Ledger,
  good: ReadonlyMap<string, number[]>,
  dead: ReadonlySet<string>,
  lost: number,
  kills: readonly Kill[],
): Judgement {
  let duplicates = 0;
  let unexplained = 0;
  for (const times of good.values()) {
    for (let index = 1; index < times.length; index++) {
      duplicates += 1;
      const [before, after] = [times[index - 1]!, times[index]!];
      if (!kills.some(({ from, until }) => until >= before - ON_THE_WAY_MS && from <= after))
        unexplained += 1;
    }
  }
  return {
    acknowledged: ledger.acknowledged.size,
    unknown: ledger.unknown,
    delivered: [...ledger.acknowledged.keys()].filter((id) => good.has(id)).length,
    deadLettered: [...ledger.acknowledged.keys()].filter((id) => dead.has(id)).length,
    canceled: ledger.canceled.size,
    lost,
    duplicates,
    unexplained,
  };
}

function wasCanceled({ canceled, perhapsCanceled }: Ledger, messageId: string): boolean {
  return canceled.has(messageId) || perhapsCanceled.has(messageId);
}

function goodReceipts(sink: RecordingSink): Map<string, number[]> {
  const byMessage = new Map<string, number[]>();
  for (const { messageId, at, good } of sink.receipts) {
    if (!good) continue;
    const times = byMessage.get(messageId);
    if (times === undefined) byMessage.set(messageId, [at]);
    else times.push(at);
  }
  return byMessage;
}

async function deadLetters(url: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor = "";
  do {
    const answer = await call(
      url,
      "GET",
      `/v2/dlq?count=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    const page = (await answer.json()) as { messages: { messageId: string }[]; cursor?: string };
    for (const { messageId } of page.messages) ids.add(messageId);
    cursor = page.cursor ?? "";
  } while (cursor !== "");
  return ids;
}
