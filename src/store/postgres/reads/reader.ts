import type { Reader } from "../../reader.ts";
import type { DriverReader, NounReader } from "../../reads/driver-reader.ts";
import { everyMethod, isApart, type Read } from "../../reads/read-kinds.ts";
import { type Connections, IMMEDIATE } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { withProblems } from "../driver/errors.ts";
import { AccountReads } from "./accounts.ts";
import { DeadLetterReads } from "./dead-letters.ts";
import { DeadRunReads } from "./dead-runs.ts";
import { LineReads } from "./lines.ts";
import { MessageReads } from "./messages.ts";
import { RunReads } from "./runs.ts";
import { ScheduleReads } from "./schedules.ts";
import { ServiceReads } from "./service.ts";
import { StatReads } from "./stats.ts";
import { UpkeepReads } from "./upkeep.ts";
import { UrlGroupReads } from "./url-groups.ts";
import { WaiterReads } from "./waiters.ts";

/** Everything that reads, each on one snapshot; lists have connections of their own. */
export function postgresReader(reading: Connections, listing: Connections): DriverReader {
  return everyMethod(({ noun, method, kind }) => {
    const connections = isApart(kind) ? listing : reading;
    const options = kind === "immediate" ? IMMEDIATE : {};
    return (...asked) => {
      const read = (session: Session): Promise<unknown> => {
        const reads = new NOUNS[noun](session) as unknown as Readonly<Record<string, Read>>;
        return reads[method]!(...asked);
      };
      return withProblems(connections.read(read, options));
    };
  });
}

const NOUNS: { readonly [Noun in keyof Reader]: new (session: Session) => NounReader<Noun> } = {
  messages: MessageReads,
  deadLetters: DeadLetterReads,
  runs: RunReads,
  deadRuns: DeadRunReads,
  waiters: WaiterReads,
  schedules: ScheduleReads,
  lines: LineReads,
  urlGroups: UrlGroupReads,
  accounts: AccountReads,
  stats: StatReads,
  service: ServiceReads,
  upkeep: UpkeepReads,
};
