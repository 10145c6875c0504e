import type { CountKey, Needs } from "../../../core/rule.ts";
import { COUNT_SQL } from "../../group/row-counts.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { SCHEDULES, URL_GROUPS } from "../../records/resource-tables.ts";
import { toSchedule } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";
import { loadFrom, lockByKey } from "../group/lock-by-key.ts";
import { arraysOf } from "../group/table-statements.ts";
import { loadLineSettings } from "./line-settings.ts";

/** Locks and loads URL groups, schedules, queues and flow-control keys. */
export async function loadResources(
  session: Session,
  needs: readonly Needs[],
  rows: WorkingSet,
): Promise<void> {
  const [urlGroups, settings] = await Promise.all([
    loadUrlGroups(
      session,
      needs.flatMap((each) => each.urlGroups ?? []),
    ),
    loadLineSettings(
      session,
      needs.flatMap(({ lineSettings }) => lineSettings ?? []),
    ),
    loadSchedules(session, needs, rows),
    loadCounts(
      session,
      needs.flatMap(({ counts }) => counts ?? []),
      rows,
    ),
  ]);
  for (const urlGroup of urlGroups) rows.urlGroups.load(urlGroup);
  for (const setting of settings) rows.lineSettings.load(setting);
}

/** Without the bodies of their messages, which no rule needs. */
async function loadSchedules(
  session: Session,
  needs: readonly Needs[],
  rows: WorkingSet,
): Promise<void> {
  const keys = needs.flatMap(({ schedules }) => schedules ?? []);
  if (keys.length === 0) return;
  for (const row of await session.query(LOCK_SCHEDULES, arraysOf(SCHEDULES.key, keys))) {
    rows.schedules.load(toSchedule(row));
  }
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

const loadUrlGroups = loadFrom(URL_GROUPS);

const LOCK_SCHEDULES = `SELECT state, next_at, settings
  FROM (${lockByKey(SCHEDULES)}) s
  CROSS JOIN LATERAL (
    SELECT settings FROM schedule_settings
    WHERE account_id = s.account_id AND schedule_id = s.schedule_id FOR UPDATE
  ) f`;
