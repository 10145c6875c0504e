import type { Reader } from "../../reader.ts";
import type { Database } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";
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

export type ThreadReader = { readonly [Noun in keyof Reader]: InThread<Noun> };

/** Everything that reads, on one connection. */
export function threadReader(database: Database): ThreadReader {
  return {
    messages: new MessageReads(database),
    deadLetters: new DeadLetterReads(database),
    runs: new RunReads(database),
    deadRuns: new DeadRunReads(database),
    waiters: new WaiterReads(database),
    schedules: new ScheduleReads(database),
    lines: new LineReads(database),
    urlGroups: new UrlGroupReads(database),
    accounts: new AccountReads(database),
    stats: new StatReads(database),
    service: new ServiceReads(database),
    upkeep: new UpkeepReads(database),
  };
}
