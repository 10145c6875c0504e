import type { Act } from "../../core/act.ts";
import { type ActResult, runRules } from "../run-group.ts";
import type { Connections } from "./connection.ts";
import { isOutage, understood } from "./errors.ts";
import { load } from "./load.ts";
import { write } from "./write.ts";

/** Writes a group in one transaction; if one act spoils it, each in a transaction of its own. */
export async function writeGroup(
  connections: Connections,
  acts: readonly Act[],
  now: number,
): Promise<ActResult[]> {
  try {
    return await connections.transaction(async (session) => {
      const { rows, taken } = await load(session, acts);
      const results = runRules(acts, rows);
      await write(session, rows, now, taken);
      return results;
    });
  } catch (error) {
    if (isOutage(error) || acts.length === 1) {
      return acts.map(() => ({ ok: false, error: understood(error) }));
    }
  }
  const results: ActResult[] = [];
  for (const act of acts) results.push(...(await writeGroup(connections, [act], now)));
  return results;
}
