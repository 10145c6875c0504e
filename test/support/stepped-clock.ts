/** Clocks that a test sets while a service runs: that of its machine, and that of its database. */
import { Connection } from "pg";

import { type Clock, systemClock } from "../../src/platform/clock.ts";
import type { Scope } from "./scope.ts";

/** Goes like the system's clock, and can be set. Its monotonic time goes on. */
export class SteppedClock implements Clock {
  #aheadMs = 0;

  /** Other files of this process find the databases as they are. */
  constructor(scope: Scope) {
    scope.after(() => showDatabaseAhead(0));
  }

  now(): number {
    return systemClock.now() + this.#aheadMs;
  }

  wall(): number {
    return this.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  after(ms: number, action: () => void): () => void {
    return systemClock.after(ms, action);
  }

  /** Sets it, and the clock that databases show to this process. */
  step(ms: number): void {
    this.#aheadMs += ms;
    showDatabaseAhead(this.#aheadMs);
  }
}

let databaseAheadMs = 0;

/** Sets the clock that databases show to this process. */
export function showDatabaseAhead(ms: number): void {
  databaseAheadMs = ms;
}

const SHOWN = "clock_timestamp()";

interface Parse {
  readonly name: string;
  readonly text: string;
  readonly types: readonly string[];
}
interface Bind {
  readonly statement: string;
}
interface Protocol {
  readonly query: (text: string) => void;
  readonly parse: (statement: Parse, more: boolean) => void;
  readonly bind: (bound: Bind, more: boolean) => void;
}

/** The texts of the statements that ask for the clock, by their names on a connection. */
const clockTexts = new WeakMap<Connection, Map<string, string>>();

function stepped(text: string): string {
  return text.replaceAll(SHOWN, `(${SHOWN} + interval '${databaseAheadMs} ms')`);
}

/**
 * What is asked of a database in this process is answered as if its machine's clock had been set. A
 * prepared statement keeps its text, so one that asks for the clock is parsed anew each time.
 */
const { query, parse, bind } = Connection.prototype as unknown as Protocol;
Object.assign(Connection.prototype, {
  query(this: Connection, text: string): void {
    query.call(this, stepped(text));
  },
  parse(this: Connection, statement: Parse, more: boolean): void {
    const texts = clockTexts.get(this) ?? new Map<string, string>();
    clockTexts.set(this, texts);
    if (statement.text.includes(SHOWN)) texts.set(statement.name, statement.text);
    else texts.delete(statement.name);
    parse.call(this, statement, more);
  },
  bind(this: Connection, bound: Bind, more: boolean): void {
    const text = clockTexts.get(this)?.get(bound.statement);
    if (text === undefined) return bind.call(this, bound, more);
    parse.call(this, { name: "", text: stepped(text), types: [] }, true);
    bind.call(this, { ...bound, statement: "" }, more);
  },
});
