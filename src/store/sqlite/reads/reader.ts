import type { Reader } from "../../reader.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { nounsOf, readOf } from "../../reads/nouns.ts";
import { everyMethod } from "../../reads/read-kinds.ts";
import type { Database } from "../thread/connection.ts";
import { ACCOUNT_SQL } from "./accounts.ts";
import { CONDITIONS } from "./conditions.ts";
import { DEAD_LETTER_SQL } from "./dead-letters.ts";
import { DEAD_RUN_SQL } from "./dead-runs.ts";
import { LINE_SQL } from "./lines.ts";
import { MESSAGE_SQL } from "./messages.ts";
import { snapshotReader } from "./run-reading.ts";
import { RUN_SQL } from "./runs.ts";
import { SERVICE_SQL } from "./service.ts";
import { UPKEEP_SQL } from "./upkeep.ts";

/** The reader inside a thread, which answers at once. */
export type ThreadReader = { readonly [Noun in keyof Reader]: InThread<Noun> };

type InThread<Noun extends keyof Reader> = {
  [Method in keyof NounReader<Noun>]: AtOnce<NounReader<Noun>[Method]>;
};

type AtOnce<Method> = Method extends (...asked: infer Asked) => Promise<infer Answer>
  ? (...asked: Asked) => Answer
  : never;

const NOUNS = nounsOf({
  conditions: CONDITIONS,
  messages: MESSAGE_SQL,
  deadLetters: DEAD_LETTER_SQL,
  runs: RUN_SQL,
  deadRuns: DEAD_RUN_SQL,
  lines: LINE_SQL,
  accounts: ACCOUNT_SQL,
  service: SERVICE_SQL,
  upkeep: UPKEEP_SQL,
});

/** Everything that reads, on one connection. */
export function threadReader(database: Database): ThreadReader {
  const run = snapshotReader(
    database,
    Object.values(NOUNS).map(({ sql }) => sql),
  );
  const reader: unknown = everyMethod(({ noun, method }) => {
    const read = readOf(NOUNS, noun, method);
    return (...asked) => run(read(...asked)) as Promise<unknown>;
  });
  return reader as ThreadReader;
}
