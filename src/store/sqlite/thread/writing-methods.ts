import type { ClockTime } from "../../../platform/clock.ts";
import { portable } from "../../../platform/thread.ts";
import type { ActResult } from "../../group/run-group.ts";
import { type PackedActs, unpackActs } from "../group/pack.ts";
import { SqliteWriter } from "./writer.ts";

/** Everything that writes, by the names that the main thread calls. */
export function writingMethods(path: string) {
  const writer = new SqliteWriter(path);
  return {
    ready: () => true,
    group: (packed: PackedActs, time: ClockTime) => {
      const { results, freedSlot } = writer.group(unpackActs(packed), time);
      return JSON.stringify({ results: results.map(portableResult), freedSlot });
    },
    claim: writer.claim.bind(writer),
    takeOver: writer.takeOver.bind(writer),
    beat: writer.beat.bind(writer),
    leave: writer.leave.bind(writer),
    recordStats: writer.recordStats.bind(writer),
    totals: writer.totals.bind(writer),
    sweepAccount: writer.sweepAccount.bind(writer),
    sweep: writer.sweep.bind(writer),
    close: writer.close.bind(writer),
    /** For a reader in the same thread, when the database is in memory. */
    database: () => writer.database,
  };
}

/** Results are sent as text, in which an Error would become an empty object. */
function portableResult(result: ActResult): ActResult {
  return result.ok ? result : { ok: false, error: portable(result.error) };
}
