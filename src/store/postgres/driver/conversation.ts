import type { PoolClient, QueryResult } from "pg";
import type { Row } from "../../records/rows.ts";
import { type Answer, Batch, type Statement, toParameter } from "./batch.ts";
import { isNotPrepared, ServerReadOnly } from "./errors.ts";
import type { Opening } from "./opening.ts";
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

export interface ReplyOptions {
  readonly replyMs: number;
  readonly isFresh: boolean;
}

export interface Last {
  readonly rows: Row[];
  readonly changed: number;
}

/**
 * A transaction on a connection. The statements of one turn of the event loop leave in one packet,
 * the first of them behind the opening, and are answered in one; if the opening fails, they fail
 * too.
 */
export class Conversation implements Session {
  readonly #client: PoolClient;
  readonly #prepared: Prepared;
  readonly #replyMs: number;
  /** The connection has just answered, so the COMMIT may be sent before the opening is answered. */
  readonly #isFresh: boolean;
  readonly #now: Promise<number>;
  #unsent: Statement[] = [];
  #failure: { readonly cause: unknown } | null = null;
  #committed: Promise<string> | null = null;

  /** The connection is closed when an answer takes longer than `replyMs`. */
  constructor(client: PoolClient, prepared: Prepared, opening: Opening, options: ReplyOptions) {
    this.#client = client;
    this.#prepared = prepared;
    this.#replyMs = options.replyMs;
    this.#isFresh = options.isFresh;
    this.#now = this.#open(opening);
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
      throw this.#failed(error);
    }
  }

  /** Returns the command tag, since a transaction in which a statement failed answers ROLLBACK. */
  async commit(): Promise<string> {
    this.#flush();
    return (await this.#ask("COMMIT")).command;
  }

  /** False when the connection is in an unknown state. */
  async rollBack(): Promise<boolean> {
    this.#flush();
    try {
      await this.#ask("ROLLBACK");
      return true;
    } catch {
      return false;
    }
  }

  async last(text: string, values?: readonly unknown[]): Promise<Last> {
    if (!this.#isFresh) await this.#now;
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

  async #open({ begin, text, values }: Opening): Promise<number> {
    try {
      if (begin !== null) this.#send(begin).catch(ignore);
      const [row] = (await this.#send(text, values)).rows;
      if (row?.["is_read_only"] === true) throw new ServerReadOnly();
      this.#prepared.answered(this.#client, row?.["process_id"] as number);
      return row?.["now"] as number;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #send(text: string, values: readonly unknown[] = []): Promise<Answer> {
    if (this.#committed !== null) throw new Error("the transaction is over");
    // Without its BEGIN a statement would be a transaction of its own.
    if (this.#failure !== null) throw this.#failure.cause;
    const parameters = values.map(toParameter);
    const { name, isPrepared, shape } = this.#prepared.prepare(this.#client, text);
    try {
      const answer = await this.#answerTo({ text, values: parameters, name, isPrepared, shape });
      if (shape === undefined) this.#prepared.learn(name, answer.shape);
      return answer;
    } catch (error) {
      if (!isPrepared && name !== "") this.#prepared.spoil(this.#client);
      throw this.#failed(error);
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
