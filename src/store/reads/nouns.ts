import type { Reader } from "../reader.ts";
import { accountReads, type AccountSql } from "./accounts.ts";
import { deadLetterReads, type DeadLetterSql } from "./dead-letters.ts";
import { deadRunReads, type DeadRunSql } from "./dead-runs.ts";
import { lineReads, type LineSql } from "./lines.ts";
import { messageReads, type MessageSql } from "./messages.ts";
import type { Conditions, Noun, Reading } from "./reading.ts";
import { runReads, type RunSql } from "./runs.ts";
import { SCHEDULE_READS } from "./schedules.ts";
import { serviceReads, type ServiceSql } from "./service.ts";
import { STAT_READS } from "./stats.ts";
import { upkeepReads, type UpkeepSql } from "./upkeep.ts";
import { URL_GROUP_READS } from "./url-groups.ts";
import { WAITER_READS } from "./waiters.ts";

/** What a driver writes in its own way; all other statements are shared. */
export interface DriverSql {
  readonly conditions: Conditions;
  readonly messages: MessageSql;
  readonly deadLetters: DeadLetterSql;
  readonly runs: RunSql;
  readonly deadRuns: DeadRunSql;
  readonly lines: LineSql;
  readonly accounts: AccountSql;
  readonly service: ServiceSql;
  readonly upkeep: UpkeepSql;
}

/** All that can be read, with the statements of a driver. */
export type Nouns = { readonly [Name in keyof Reader]: Noun<Name> };

export function nounsOf({ conditions, ...own }: DriverSql): Nouns {
  return {
    messages: messageReads(own.messages),
    deadLetters: deadLetterReads(own.deadLetters),
    runs: runReads(own.runs),
    deadRuns: deadRunReads(own.deadRuns),
    waiters: WAITER_READS,
    schedules: SCHEDULE_READS,
    lines: lineReads(own.lines, conditions),
    urlGroups: URL_GROUP_READS,
    accounts: accountReads(own.accounts),
    stats: STAT_READS,
    service: serviceReads(own.service),
    upkeep: upkeepReads(own.upkeep, conditions),
  };
}

type Read = (...asked: readonly unknown[]) => Reading<unknown>;

/** A method by its names. */
export function readOf(nouns: Nouns, noun: keyof Reader, method: string): Read {
  return (nouns[noun].reads as unknown as Readonly<Record<string, Read>>)[method]!;
}
