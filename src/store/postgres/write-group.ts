import type { Act } from "../../core/act.ts";
import { type ActResult, runRules } from "../run-group.ts";
import type { Connections } from "./connection.ts";
import { addDailyCounts } from "./daily-counts.ts";
import { isOutage, understood } from "./errors.ts";
import { load } from "./load.ts";
import { write } from "./write.ts";

/** Writes a group in one transaction, and counts it in the rows of a writer that is alone in them; if one act spoils it, each in a transaction of its own. */
export async function writeGroup(
  connections: Connections,
  acts: readonly Act[],
  now: number,
  writer: string,
): Promise<ActResult[]> {
  try {
    return await connections.transaction(async (session) => {
      const { rows, taken } = await load(session, acts);
      const results = runRules(acts, rows);
      await Promise.all([
        write(session, rows, now, taken),
        addDailyCounts(session, rows, now, writer),
      ]);
      return results;
    });
  } catch (error) {
    if (isOutage(error) || acts.length === 1) {
      return acts.map(() => ({ ok: false, error: understood(error) }));
    }
  }
  const results: ActResult[] = [];
  for (const act of acts) results.push(...(await writeGroup(connections, [act], now, writer)));
  return results;
}
