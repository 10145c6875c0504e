import type { ProvedLine } from "./lines.ts";
import type { Visit } from "./line-sink.ts";

/** What was wrong with the calls that came by a line; nothing, if its limits held. */
export function faultsOf(line: ProvedLine, visits: readonly Visit[]): string[] {
  const own = visits.filter((visit) => visit.line === line.name);
  const messages = own.filter(({ kind }) => kind === "message");
  if (line.kind === "key") {
    const crowd = line.parallelism === undefined ? 0 : mostAtOnce(messages);
    return [
      ...(crowd > (line.parallelism ?? 0)
        ? [`${line.name}: ${crowd} at once, not ${line.parallelism}`]
        : []),
      ...(line.rate === undefined ? [] : rateFaults(line.name, line.rate, messages)),
    ];
  }
  return line.parallelism === 1 ? orderFaults(own) : crowdFaults(line, own);
}

/** Of one at a time: everything of a message is over before anything of the next begins. */
function orderFaults(visits: readonly Visit[]): string[] {
  const byNumber = Map.groupBy(visits, ({ number }) => number);
  const faults: string[] = [];
  let overAt = 0;
  let before = 0;
  for (const [number, own] of [...byNumber].toSorted(([one], [other]) => one - other)) {
    const beginsAt = Math.min(...own.map(({ startedAt }) => startedAt));
    if (beginsAt < overAt) {
      faults.push(
        `${own[0]!.line}: ${number} began ${overAt - beginsAt} ms too soon for ${before}`,
      );
    }
    overAt = Math.max(overAt, ...own.map(endOf));
    before = number;
  }
  return faults;
}

/** Of several at a time: never more messages begun and not over, counting their callbacks. */
function crowdFaults({ name, parallelism }: ProvedLine, visits: readonly Visit[]): string[] {
  const spans = [...Map.groupBy(visits, ({ number }) => number).values()].map((own) => ({
    startedAt: Math.min(...own.map(({ startedAt }) => startedAt)),
    endedAt: Math.max(...own.map(endOf)),
  }));
  const crowd = mostAtOnce(spans);
  return crowd > (parallelism ?? 0) ? [`${name}: ${crowd} at once, not ${parallelism}`] : [];
}

/** Windows are fixed, so that two of them may touch in any stretch of one period. */
function rateFaults(name: string, rate: number, visits: readonly Visit[]): string[] {
  const starts = visits.map(({ startedAt }) => startedAt).toSorted((one, other) => one - other);
  const faults: string[] = [];
  for (const [index, at] of starts.entries()) {
    const until = starts.findIndex((other) => other >= at + PERIOD_MS - ON_THE_WAY_MS);
    const count = (until === -1 ? starts.length : until) - index;
    if (count > 2 * rate) faults.push(`${name}: ${count} starts within a period, at ${at}`);
  }
  const periods = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / PERIOD_MS;
  if (starts.length > rate * (periods + 2)) {
    faults.push(`${name}: ${starts.length} starts in ${periods} periods`);
  }
  return faults;
}

export function mostAtOnce(
  spans: readonly { readonly startedAt: number; readonly endedAt: number | null }[],
): number {
  const edges = spans.flatMap(({ startedAt, endedAt }) => [
    { at: startedAt, by: 1 },
    { at: endedAt ?? Infinity, by: -1 },
  ]);
  let now = 0;
  let most = 0;
  for (const { by } of edges.toSorted((one, other) => one.at - other.at || one.by - other.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

const endOf = ({ endedAt }: Visit): number => endedAt ?? Infinity;

export const PERIOD_MS = 1_000;
/** A call that was begun in time may be on its way for a while. */
const ON_THE_WAY_MS = 150;
