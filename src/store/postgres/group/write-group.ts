import { type Act, bodyBytesOf } from "../../../core/rules/registry.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { type ActResult, type GroupResult, runRules } from "../../group/run-group.ts";
import type { StatsTally } from "../../group/stats-tally.ts";
import { type Connections, PROMPT } from "../driver/connection.ts";
import { isLeaseChanged, isOutage, toProblem } from "../driver/errors.ts";
import type { TransactionOptions } from "../driver/opening.ts";
import type { KnownLeases } from "./known-leases.ts";
import type { RoomWait } from "./line-rooms.ts";
import { load } from "./load.ts";
import { write } from "./write.ts";

export interface GroupOptions {
  readonly time: ClockTime;
  /** The writer whose rows of the day's counts the group adds to. */
  readonly writer: string;
  readonly stats: StatsTally;
  readonly leases: KnownLeases;
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
    const { rows, ...result } = await connections.transaction(async (session) => {
      const { rows: loadedRows, ...loaded } = await load(session, acts, time, {
        leases,
        roomWait,
      });
      const results = runRules(acts, loadedRows);
      const freedSlot = await write(session, loadedRows, time, { ...loaded, writer });
      return { rows: loadedRows, results, freedSlot };
    }, timeoutsFor(acts));
    options.leases.note(rows);
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

/** A slow disk needs longer for large bodies. */
function timeoutsFor(acts: readonly Act[]): TransactionOptions {
  let bytes = 0;
  for (const act of acts) bytes += bodyBytesOf(act);
  const { statementTimeoutMs } = PROMPT;
  return { statementTimeoutMs: statementTimeoutMs + Math.floor(bytes / BYTES_A_SECOND) * 1_000 };
}

const BYTES_A_SECOND = 4 * 1024 * 1024;
