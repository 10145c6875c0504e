import type { DriverReader } from "../../reads/driver-reader.ts";
import { nounsOf, readOf } from "../../reads/nouns.ts";
import { everyMethod, isApart } from "../../reads/read-kinds.ts";
import { type Connections, IMMEDIATE } from "../driver/connection.ts";
import { withProblems } from "../driver/errors.ts";
import { ACCOUNT_SQL } from "./accounts.ts";
import { CONDITIONS } from "./conditions.ts";
import { DEAD_LETTER_SQL } from "./dead-letters.ts";
import { DEAD_RUN_SQL } from "./dead-runs.ts";
import { LINE_SQL } from "./lines.ts";
import { MESSAGE_SQL } from "./messages.ts";
import { runReading } from "./run-reading.ts";
import { RUN_SQL } from "./runs.ts";
import { SERVICE_SQL } from "./service.ts";
import { UPKEEP_SQL } from "./upkeep.ts";

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

/** Everything that reads, each on one snapshot; lists have connections of their own. */
export function postgresReader(reading: Connections, listing: Connections): DriverReader {
  return everyMethod(({ noun, method, kind }) => {
    const connections = isApart(kind) ? listing : reading;
    const options = kind === "immediate" ? IMMEDIATE : {};
    const read = readOf(NOUNS, noun, method);
    return (...asked) =>
      withProblems(connections.read((session) => runReading(session, read(...asked)), options));
  });
}
