import type { AccountReader } from "./reader/accounts.ts";
import type { DeadLetterReader } from "./reader/dead-letters.ts";
import type { DeadRunReader } from "./reader/dead-runs.ts";
import type { LineReader } from "./reader/lines.ts";
import type { MessageReader } from "./reader/messages.ts";
import type { RunReader } from "./reader/runs.ts";
import type { ScheduleReader } from "./reader/schedules.ts";
import type { ServiceReader } from "./reader/service.ts";
import type { StatReader } from "./reader/stats.ts";
import type { UpkeepReader } from "./reader/upkeep.ts";
import type { UrlGroupReader } from "./reader/url-groups.ts";
import type { WaiterReader } from "./reader/waiters.ts";

/** What can be read from the store, by noun. Lists read a bounded number of rows. */
export interface Reader {
  readonly messages: MessageReader;
  readonly deadLetters: DeadLetterReader;
  readonly runs: RunReader;
  readonly deadRuns: DeadRunReader;
  readonly waiters: WaiterReader;
  readonly schedules: ScheduleReader;
  readonly lines: LineReader;
  readonly urlGroups: UrlGroupReader;
  readonly accounts: AccountReader;
  readonly stats: StatReader;
  readonly service: ServiceReader;
  readonly upkeep: UpkeepReader;
}
