import type { Topic, TopicKey } from "../../../core/model/url-group/url-group.ts";
import { toTopic } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";

/** URL groups. */
export async function loadTopics(
  session: Session,
  keys: readonly TopicKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(SQL.lock, keyColumns(keys))) rows.topics.load(toTopic(row));
}

export async function readTopic(
  session: Session,
  { accountId, name }: TopicKey,
): Promise<Topic | null> {
  const [row] = await session.query(SQL.read, [accountId, name]);
  return row ? toTopic(row) : null;
}

export async function listTopics(session: Session, accountId: string): Promise<Topic[]> {
  return (await session.query(SQL.list, [accountId])).map(toTopic);
}

export async function writeTopics(session: Session, { topics }: WorkingSet): Promise<void> {
  if (topics.put.size > 0) {
    const columns = columnsOf(
      topics.put.values(),
      (topic) => topic.accountId,
      (topic) => topic.name,
      (topic) => JSON.stringify(topic),
    );
    await session.query(SQL.put, columns);
  }
  if (topics.removed.size > 0) await session.query(SQL.remove, keyColumns(topics.removed.values()));
}

function keyColumns(keys: Iterable<TopicKey>): unknown[] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ name }) => name,
  );
}

const SQL = {
  lock: lockByKey("topics", { account_id: "text", name: "text" }),
  read: "SELECT record FROM topics WHERE account_id = $1 AND name = $2",
  list: "SELECT record FROM topics WHERE account_id = $1 ORDER BY name",
  put: `INSERT INTO topics (account_id, name, record)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
    ON CONFLICT (account_id, name) DO UPDATE SET record = excluded.record`,
  remove: `DELETE FROM topics USING unnest($1::text[], $2::text[]) AS k (account_id, name)
    WHERE topics.account_id = k.account_id AND topics.name = k.name`,
} as const;
