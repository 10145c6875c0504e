import type { UrlGroupKey } from "../../../core/model/url-group/url-group.ts";
import { toUrlGroup } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";

export async function loadUrlGroups(
  session: Session,
  keys: readonly UrlGroupKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(SQL.lock, keyColumns(keys)))
    rows.urlGroups.load(toUrlGroup(row));
}

export async function writeUrlGroups(session: Session, { urlGroups }: WorkingSet): Promise<void> {
  if (urlGroups.put.size > 0) {
    const columns = columnsOf(
      urlGroups.put.values(),
      (urlGroup) => urlGroup.accountId,
      (urlGroup) => urlGroup.name,
      (urlGroup) => JSON.stringify(urlGroup),
    );
    await session.query(SQL.put, columns);
  }
  if (urlGroups.removed.size > 0)
    await session.query(SQL.remove, keyColumns(urlGroups.removed.values()));
}

function keyColumns(keys: Iterable<UrlGroupKey>): unknown[] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ name }) => name,
  );
}

const SQL = {
  lock: lockByKey("url_groups", { account_id: "text", name: "text" }),
  put: `INSERT INTO url_groups (account_id, name, record)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
    ON CONFLICT (account_id, name) DO UPDATE SET record = excluded.record`,
  remove: `DELETE FROM url_groups USING unnest($1::text[], $2::text[]) AS k (account_id, name)
    WHERE url_groups.account_id = k.account_id AND url_groups.name = k.name`,
} as const;
