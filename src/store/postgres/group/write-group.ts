import { type Act, bodyBytesOf } from "../../../core/rules/registry.ts";
import type { GrantedLease } from "../../../core/model/message/message.ts";
import { isNextLeased } from "../../../core/rules/message/next-in-queue.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { type ActResult, type GroupResult, runRules } from "../../group/run-group.ts";
import type { StatsTally } from "../../group/stats-tally.ts";
import { type Connections, PROMPT } from "../driver/connection.ts";
import { isLeaseChanged, isOutage, toProblem } from "../driver/errors.ts";
import type { TransactionOptions } from "../driver/opening.ts";
import { carriesEntries, readFacts } from "../../reads/leased.ts";
import type { LeasedMessage } from "../../store.ts";
import type { Session } from "../driver/conversation.ts";
import { FACTS_BYTES_MAX, type FactsReadAhead } from "./facts-read-ahead.ts";
import type { KnownLeases } from "./known-leases.ts";
import type { RoomWait } from "./line-rooms.ts";
import { runReading } from "../reads/run-reading.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { load } from "./load.ts";
import { write } from "./write.ts";

export interface GroupOptions {
  readonly time: ClockTime;
  /** The writer whose rows of the day's counts the group adds to. */
  readonly writer: string;
  readonly stats: StatsTally;
  readonly leases: KnownLeases;
  readonly facts: FactsReadAhead;
  readonly roomWait: RoomWait;
}

/**
 * Writes a group in one transaction, and counts it in rows that only this writer changes; if one
 * act fails, writes each act in a transaction of its own.
 */
export async function writeGroup(
  connections: Connections,
  acts: readonly Act[],
  options: GroupOptions,
  leases: KnownLeases | null = options.leases,
): Promise<GroupResult> {
  const { time, writer, stats, roomWait } = options;
  try {
    const { rows, leased, ...result } = await connections.transaction(async (session) => {
      const { rows: loadedRows, ...loaded } = await load(session, acts, time, {
        leases,
        roomWait,
      });
      const results = runRules(acts, loadedRows);
      const [read, freedSlot] = await Promise.all([
        readNext(session, results, loadedRows),
        write(session, loadedRows, time, { ...loaded, writer }),
      ]);
      return { rows: loadedRows, results, freedSlot, leased: read };
    }, timeoutsFor(acts));
    options.leases.note(rows);
    options.facts.add(leased);
    options.facts.addWritten(rows.added);
    stats.add(rows);
    return result;
  } catch (error) {
    if (leases !== null && isLeaseChanged(error)) {
      return writeGroup(connections, acts, options, null);
    }
    if (isOutage(error) || acts.length === 1) {
      return {
        results: acts.map(() => ({ ok: false, error: toProblem(error) })),
        freedSlot: false,
      };
    }
  }
  const results: ActResult[] = [];
  let freedSlot = false;
  for (const act of acts) {
    const single = await writeGroup(connections, [act], options);
    results.push(...single.results);
    freedSlot ||= single.freedSlot;
  }
  return { results, freedSlot };
}

/** What is needed to send the messages that settlements have leased, read with what is written. */
async function readNext(
  session: Session,
  results: readonly ActResult[],
  rows: WorkingSet,
): Promise<LeasedMessage[]> {
  const granted = results.flatMap((result) => (result.ok ? nextIn(result.answer) : []));
  const bytes = granted.reduce((sum, key) => sum + (rows.message(key)?.bytes ?? 0), 0);
  if (bytes > FACTS_BYTES_MAX) return [];
  const read = await runReading(session, readFacts(granted));
  return read.filter((message) => !carriesEntries(message));
}

function nextIn(answer: unknown): GrantedLease[] {
  return isNextLeased(answer) ? [answer.next] : [];
}

/** A slow disk needs longer for large bodies. */
function timeoutsFor(acts: readonly Act[]): TransactionOptions {
  let bytes = 0;
  for (const act of acts) bytes += bodyBytesOf(act);
  const { statementTimeoutMs } = PROMPT;
  return { statementTimeoutMs: statementTimeoutMs + Math.floor(bytes / BYTES_A_SECOND) * 1_000 };
}

const BYTES_A_SECOND = 4 * 1024 * 1024;
