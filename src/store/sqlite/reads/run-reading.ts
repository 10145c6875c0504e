import type { SQLInputValue } from "node:sqlite";

import type { Found, Query, Reading, Statements, Value } from "../../reads/reading.ts";
import { type Database, prepareShared } from "../thread/connection.ts";

export type RunReading = <Answer>(reading: Reading<Answer>) => Answer;

/** Runs readings on a connection, in a transaction: a writer may commit between two statements. */
export function snapshotReader(database: Database, sql: readonly Statements[]): RunReading {
  const run = statementReader(database, sql);
  const [begin, end] = [database.prepare("BEGIN"), database.prepare("ROLLBACK")];
  return (reading) => {
    begin.run();
    try {
      return run(reading);
    } finally {
      end.run();
    }
  };
}

/** Runs readings in the transaction of the caller. Texts that are made for a read are prepared when it comes. */
export function statementReader(database: Database, sql: readonly Statements[]): RunReading {
  const texts = sql.flatMap((named) => Object.values(named)).filter(isText);
  const prepared = new Map(texts.map((text) => [text, prepareShared(database, text)]));
  const find = ({ text, values, keys = NO_KEY, isChange }: Query): Found => {
    let statement = prepared.get(text);
    if (statement === undefined) prepared.set(text, (statement = prepareShared(database, text)));
    const given = values.map(toInput);
    return isChange === true
      ? keys.map((key) => [{ changed: Number(statement.run(...key, ...given).changes) }])
      : keys.map((key) => statement.all(...key, ...given));
  };
  return (reading) => {
    let step = reading.next();
    while (step.done !== true) step = reading.next(step.value.map(find));
    return step.value;
  };
}

function isText(statement: Statements[string]): statement is string {
  return typeof statement === "string";
}

/** Lists are given to json_each. */
function toInput(value: Value): SQLInputValue {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

const NO_KEY = [[]] as const;
