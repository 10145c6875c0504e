import type { CountedNoun, CountKey, Needs } from "../../../core/rule.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { Session } from "../driver/conversation.ts";
import { loadLineSettings, writeLineSettings } from "./line-settings.ts";
import { loadSchedules, writeSchedules } from "./schedules.ts";
import { loadUrlGroups, writeUrlGroups } from "./url-groups.ts";

/** URL groups, schedules, queues and flow-control keys. */
export async function loadResources(
  session: Session,
  needs: readonly Needs[],
  rows: WorkingSet,
): Promise<void> {
  await Promise.all([
    loadUrlGroups(
      session,
      needs.flatMap(({ urlGroups }) => urlGroups ?? []),
      rows,
    ),
    loadSchedules(
      session,
      needs.flatMap(({ schedules }) => schedules ?? []),
      rows,
    ),
    loadLineSettings(
      session,
      needs.flatMap(({ lineSettings }) => lineSettings ?? []),
      rows,
    ),
    loadCounts(
      session,
      needs.flatMap(({ counts }) => counts ?? []),
      rows,
    ),
  ]);
}

export async function writeResources(session: Session, rows: WorkingSet): Promise<void> {
  await Promise.all([
    writeUrlGroups(session, rows),
    writeSchedules(session, rows),
    writeLineSettings(session, rows),
  ]);
}

async function loadCounts(
  session: Session,
  keys: readonly CountKey[],
  rows: WorkingSet,
): Promise<void> {
  await Promise.all(
    keys.map(async (key) => {
      const [row] = await session.query(COUNT_SQL[key.noun], [key.accountId]);
      rows.counts.load(key, row?.["count"] as number);
    }),
  );
}

const COUNT_SQL: Readonly<Record<CountedNoun, string>> = {
  urlGroups: "SELECT count(*) AS count FROM url_groups WHERE account_id = $1",
  schedules: "SELECT count(*) AS count FROM schedules WHERE account_id = $1",
  queues: `SELECT count(*) AS count FROM line_limits
    WHERE account_id = $1 AND line >= 'q:' AND line < 'q;'`,
};
