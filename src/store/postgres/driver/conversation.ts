import type { PoolClient, QueryResult } from "pg";
import type { Row } from "../../records/rows.ts";
import { type Answer, Batch, type Statement, toParameter } from "./batch.ts";
import { isNotPrepared, ServerReadOnly } from "./errors.ts";
import type { Prepared } from "./prepared.ts";

/** What a transaction may ask. Statements that are not awaited are sent together. */
export interface Session {
  /** The database's clock when the transaction began. */
  now(): Promise<number>;
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns how many rows a statement has changed. */
  change(text: string, values?: readonly unknown[]): Promise<number>;
  /** Several statements in one text, without an answer. */
  script(text: string): Promise<void>;
  /** Sends the COMMIT right behind the statement; no other statement may follow. */
  last(text: string, values?: readonly unknown[]): Promise<Last>;
}

export interface Last {
  readonly rows: Row[];
  readonly changed: number;
}

/**
 * A transaction on a connection. The statements of one turn of the event loop leave in one packet,
 * with the BEGIN in front, and are answered in one; if the BEGIN fails, they fail too.
 */
export class Conversation implements Session {
  readonly #client: PoolClient;
  readonly #prepared: Prepared;
  readonly #replyMs: number;
  readonly #now: Promise<number>;
  #unsent: Statement[] = [];
  #failure: { readonly cause: unknown } | null = null;
  #committed: Promise<string> | null = null;

  /**
   * The last statement of `begin` selects the clock, the server process, and for a transaction that
   * writes whether it may. The connection is closed when an answer takes longer than `replyMs`.
   */
  constructor(client: PoolClient, prepared: Prepared, begin: string, replyMs: number) {
    this.#client = client;
    this.#prepared = prepared;
    this.#replyMs = replyMs;
    this.#now = this.#begin(begin);
    this.#now.catch(ignore);
  }

  now(): Promise<number> {
    return this.#now;
  }

  async query(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return (await this.#send(text, values)).rows;
  }

  async change(text: string, values?: readonly unknown[]): Promise<number> {
    return changedBy((await this.#send(text, values)).command);
  }

  async script(text: string): Promise<void> {
    this.#flush();
    try {
      await this.#ask(text);
    } catch (error) {
      throw await this.#cause(error);
    }
  }

  /** Returns the command tag, since a transaction in which a statement failed answers ROLLBACK. */
  async commit(): Promise<string> {
    return (await this.#ask("COMMIT")).command;
  }

  /** False when the connection is in an unknown state. */
  async rollBack(): Promise<boolean> {
    try {
      await this.#ask("ROLLBACK");
      return true;
    } catch {
      return false;
    }
  }

  async last(text: string, values?: readonly unknown[]): Promise<Last> {
    await this.#now;
    const answer = this.#send(text, values);
    this.#committed = this.#send("COMMIT").then(({ command }) => command);
    this.#committed.catch(ignore);
    const { rows, command } = await answer;
    return { rows, changed: changedBy(command) };
  }

  /** The command tag of the COMMIT that was sent with the last statement. */
  get committed(): Promise<string> | null {
    return this.#committed;
  }

  async #begin(begin: string): Promise<number> {
    const { connection } = this.#client;
    connection.stream.cork();
    process.nextTick(() => {
      this.#flush();
      connection.stream.uncork();
    });
    try {
      const results = (await this.#ask(begin)) as unknown as { rows: Row[] }[];
      const row = results.at(-1)?.rows[0];
      if (row?.["is_read_only"] === true) throw new ServerReadOnly();
      this.#prepared.answered(this.#client, row?.["process_id"] as number);
      return Number(row?.["now"]);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #send(text: string, values: readonly unknown[] = []): Promise<Answer> {
    if (this.#committed !== null) throw new Error("the transaction is over");
    const parameters = values.map(toParameter);
    const { name, isPrepared, shape } = this.#prepared.prepare(this.#client, text);
    try {
      const answer = await this.#answerTo({ text, values: parameters, name, isPrepared, shape });
      if (shape === undefined) this.#prepared.learn(name, answer.shape);
      return answer;
    } catch (error) {
      if (!isPrepared && name !== "") this.#prepared.spoil(this.#client);
      throw await this.#cause(error);
    }
  }

  #answerTo(sent: Omit<Statement, "resolve" | "reject">): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#unsent.push({ ...sent, resolve, reject });
    if (this.#unsent.length === 1) process.nextTick(() => this.#flush());
    return promise;
  }

  #ask(text: string): Promise<QueryResult> {
    const asked = { text, query_timeout: this.#replyMs };
    return this.#client.query(asked);
  }

  #flush(): void {
    if (this.#unsent.length === 0) return;
    const { stream } = this.#client.connection;
    stream.cork();
    this.#client.query(new Batch(this.#unsent, this.#replyMs));
    stream.uncork();
    this.#unsent = [];
  }

  /** A BEGIN that failed is the cause, though pg tells of it after the statements behind it. */
  async #cause(error: unknown): Promise<unknown> {
    try {
      await this.#now;
    } catch (cause) {
      return cause;
    }
    return this.#failed(error);
  }

  /** Keeps the first error: statements after it only report that the transaction is aborted. */
  #failed(error: unknown): unknown {
    this.#failure ??= { cause: error };
    if (isNotPrepared(error)) this.#prepared.forget();
    return this.#failure.cause;
  }
}

/** The command tag ends with the number of rows: `UPDATE 3`. */
function changedBy(command: string): number {
  return Number(command.slice(command.lastIndexOf(" ") + 1));
}

function ignore(): void {}
