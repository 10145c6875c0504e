import type { Deduplication } from "../../src/core/change.ts";
import type { AccountRecord, ServiceRecord } from "../../src/core/model/account/account.ts";
import type { DeadLetter } from "../../src/core/model/message/dead-letter.ts";
import type { MessageState } from "../../src/core/model/message/message.ts";
import type { LineSetting, LineSnapshot, QueueHead } from "../../src/core/model/line/line.ts";
import type { Schedule } from "../../src/core/model/schedule/schedule.ts";
import type { UrlGroup } from "../../src/core/model/url-group/url-group.ts";
import type { CountedNoun, Rows } from "../../src/core/rule.ts";
import { RunRows } from "../../src/store/group/run-rows.ts";

/** What a rule finds, when a test says what there is. */
export function rowsOf(there: {
  readonly messages?: readonly MessageState[];
  readonly deadLetters?: readonly DeadLetter[];
  readonly deduplications?: readonly Deduplication[];
  readonly accounts?: readonly AccountRecord[];
  readonly urlGroups?: readonly UrlGroup[];
  readonly schedules?: readonly Schedule[];
  readonly lineSettings?: readonly LineSetting[];
  readonly lines?: Readonly<Record<string, LineSnapshot>>;
  readonly heads?: Readonly<Record<string, QueueHead>>;
  readonly counts?: Readonly<Partial<Record<CountedNoun, number>>>;
  readonly service?: ServiceRecord;
  readonly deadLetterNumber?: number;
  readonly runs?: RunRows;
}): Rows {
  return {
    runs: there.runs ?? new RunRows(() => there.messages ?? []),
    message: (key) =>
      there.messages?.find(
        (state) => state.accountId === key.accountId && state.messageId === key.messageId,
      ) ?? null,
    deadLetter: (key) =>
      there.deadLetters?.find(
        (letter) => letter.diedAt === key.diedAt && letter.number === key.number,
      ) ?? null,
    deduplication: (accountId, key, at) =>
      there.deduplications?.find(
        (taken) => taken.accountId === accountId && taken.key === key && taken.expiresAt > at,
      ) ?? null,
    account: (accountId) =>
      there.accounts?.find((account) => account.accountId === accountId) ?? null,
    urlGroup: (key) => there.urlGroups?.find(({ name }) => name === key.name) ?? null,
    schedule: (key) =>
      there.schedules?.find(({ scheduleId }) => scheduleId === key.scheduleId) ?? null,
    lineSetting: (key) => there.lineSettings?.find(({ line }) => line === key.line) ?? null,
    line: ({ line }) => there.lines?.[line] ?? null,
    head: ({ line }) => there.heads?.[line] ?? null,
    count: ({ noun }) => there.counts?.[noun] ?? 0,
    accountByCustomer: (customerId) =>
      there.accounts?.find((account) => account.customerId === customerId) ?? null,
    service: () => there.service ?? { operator: null, isPaused: false },
    nextDeadLetterNumber: () => there.deadLetterNumber ?? 1,
  };
}
