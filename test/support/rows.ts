import type { Deduplication } from "../../src/core/change.ts";
import type { AccountRecord } from "../../src/core/model/account.ts";
import type { DeadLetter } from "../../src/core/model/dead-letter.ts";
import type { MessageState } from "../../src/core/model/message-state.ts";
import type { Rows } from "../../src/core/rule.ts";

/** What a rule finds, when a test says what there is. */
export function rowsOf(there: {
  readonly messages?: readonly MessageState[];
  readonly deadLetters?: readonly DeadLetter[];
  readonly deduplications?: readonly Deduplication[];
  readonly accounts?: readonly AccountRecord[];
  readonly deadLetterNumber?: number;
}): Rows {
  return {
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
    nextDeadLetterNumber: () => there.deadLetterNumber ?? 1,
  };
}
