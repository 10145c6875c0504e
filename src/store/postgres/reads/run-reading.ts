import type { Found, Key, Query, Reading } from "../../reads/reading.ts";
import type { Row } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";
import { columnsOf, numberedRowsOf } from "../group/columns.ts";

/** Drives a reading to its end; the queries of a step are sent together. */
export async function runReading<Answer>(
  session: Session,
  reading: Reading<Answer>,
): Promise<Answer> {
  let step = reading.next();
  while (step.done !== true) {
    step = reading.next(await Promise.all(step.value.map((query) => find(session, query))));
  }
  return step.value;
}

async function find(session: Session, query: Query): Promise<Found> {
  const { text, values, keys, isChange } = query;
  if (keys === undefined) {
    if (isChange !== true) return [await session.query(text, values)];
    return [[{ changed: await session.change(text, values) }]];
  }
  const [first] = keys;
  if (first === undefined) return [];
  const columns = columnsOf(keys, ...first.map((_, index) => (key: Key) => key[index]));
  if (isChange === true)
    return [[{ changed: await session.change(text, [...columns, ...values]) }]];
  const found = keys.map((): Row[] => []);
  for (const row of await session.query(textForKeys(text, first), [...columns, ...values])) {
    found[(row["nth"] as number) - 1]!.push(row);
  }
  return found;
}

const textsForKeys = new Map<string, string>();

/**
 * Makes a query for one key into a query for many. Each is looked up by itself: given a join, the
 * server may read all rows of the account for a few.
 */
function textForKeys(text: string, key: Key): string {
  let made = textsForKeys.get(text);
  if (made === undefined) {
    const columns = key.map(
      (value, index) =>
        `k${index + 1} $${index + 1} ${typeof value === "string" ? "text" : "bigint"}`,
    );
    const ofKey = text.replaceAll(/\$(\d+)/g, (parameter, index) =>
      Number(index) <= key.length ? `k.k${index}` : parameter,
    );
    made = `SELECT k.nth, found.* FROM ${numberedRowsOf(...columns)} k
      CROSS JOIN LATERAL (${ofKey} OFFSET 0) found`;
    textsForKeys.set(text, made);
  }
  return made;
}
