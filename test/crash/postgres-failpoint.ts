/** Loaded into a node on PostgreSQL, before it: `node --import`. */
import { Client, type QueryResult } from "pg";

import { type Answer, Batch, type Statement } from "../../src/store/postgres/driver/batch.ts";
import { StateChanges } from "./failpoint.ts";

type Query = (this: Client, ...asked: unknown[]) => Promise<QueryResult>;

const prototype = Client.prototype as unknown as { query: Query };
const { query } = prototype;
const changes = new StateChanges();
/** In the middle of saying that they live, which changes nothing of a run. */
const beating = new WeakSet<Client>();

prototype.query = function ask(this: Client, ...asked: unknown[]): Promise<QueryResult> {
  const [first] = asked;
  if (textOf(first) === "COMMIT") return commit(this, () => query.call(this, first));
  if (first instanceof Batch && first.statements.at(-1)?.text === "COMMIT") {
    return commitBatch(this, first);
  }
  note(this, first);
  return query.apply(this, asked);
};

/** The COMMIT is taken from those that it was to be sent with. */
async function commitBatch(client: Client, whole: Batch): Promise<QueryResult> {
  const { statements, query_timeout: replyMs } = whole;
  const others = statements.slice(0, -1);
  const last = statements.at(-1)!;
  const batch = new Batch(others, replyMs);
  note(client, batch);
  if (others.length > 0) void query.call(client, batch);
  try {
    last.resolve(await commit(client, () => alone(client, last, replyMs)));
  } catch (error) {
    last.reject(error);
  }
  return undefined as never;
}

function alone(client: Client, statement: Statement, replyMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    void query.call(client, new Batch([{ ...statement, resolve, reject }], replyMs));
  });
}

function textOf(asked: unknown): string {
  return typeof asked === "string" ? asked : (asked as { readonly text: string }).text;
}

function note(client: Client, asked: unknown): void {
  const texts = asked instanceof Batch ? asked.statements.map(({ text }) => text) : [textOf(asked)];
  if (texts.some((text) => /\b(?:UPDATE|INTO) nodes\b/.test(text))) beating.add(client);
}

async function commit<Result>(client: Client, send: () => Promise<Result>): Promise<Result> {
  const isChange = !beating.delete(client) && (await hasChanged(client));
  const number = isChange ? changes.before() : null;
  const result = await send();
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
