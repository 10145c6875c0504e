/** Loaded into a node on PostgreSQL, before it: `node --import`. */
import { Client, type QueryResult } from "pg";

import { StateChanges } from "./failpoint.ts";

type Query = (this: Client, ...asked: unknown[]) => Promise<QueryResult>;

const prototype = Client.prototype as unknown as { query: Query };
const { query } = prototype;
const changes = new StateChanges();
/** In the middle of saying that they live, which changes nothing of a run. */
const beating = new WeakSet<Client>();

prototype.query = function ask(this: Client, ...asked: unknown[]): Promise<QueryResult> {
  if (asked[0] === "COMMIT") return commit(this);
  if (/\b(?:UPDATE|INTO) nodes\b/.test(textOf(asked[0]))) beating.add(this);
  return query.apply(this, asked);
};

function textOf(statement: unknown): string {
  return typeof statement === "string" ? statement : (statement as { text: string }).text;
}

async function commit(client: Client): Promise<QueryResult> {
  const isChange = !beating.delete(client) && (await hasChanged(client));
  const number = isChange ? changes.before() : null;
  const result = await query.call(client, "COMMIT");
  if (number !== null) changes.after(number);
  return result;
}

/** PostgreSQL numbers a transaction when it first writes or locks a row. */
async function hasChanged(client: Client): Promise<boolean> {
  const { rows } = await query.call(
    client,
    "SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS changed",
  );
  return (rows as { changed: boolean }[])[0]?.changed === true;
}
