import type { UrlGroupKey } from "../../../core/model/url-group/url-group.ts";
import { URL_GROUPS } from "../../records/resource-tables.ts";
import { toUrlGroup } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";
import { arraysOf, putInto, removeFrom } from "../group/table-statements.ts";

export async function loadUrlGroups(
  session: Session,
  keys: readonly UrlGroupKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(LOCK, arraysOf(URL_GROUPS.key, keys))) {
    rows.urlGroups.load(toUrlGroup(row));
  }
}

export async function writeUrlGroups(session: Session, { urlGroups }: WorkingSet): Promise<void> {
  await Promise.all([
    put(session, urlGroups.put.values()),
    remove(session, urlGroups.removed.values()),
  ]);
}

const LOCK = lockByKey(URL_GROUPS);
const put = putInto(URL_GROUPS);
const remove = removeFrom(URL_GROUPS);
