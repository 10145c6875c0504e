import { type DeadLetter, deadLetterId } from "../model/message/dead-letter.ts";
import type { DeadLetterFilter } from "../model/message/dead-letter-filter.ts";
import type { Message } from "../model/message/message.ts";
import { matchesMessage } from "./matches-message.ts";
import { isAmong } from "./matches-values.ts";

/** Whether a dead letter matches the filter. Dates apply to the time it died. */
export function matchesDeadLetter(
  filter: DeadLetterFilter,
  deadLetter: DeadLetter,
  message: Message,
): boolean {
  return (
    (deadLetter.run !== undefined) === (filter.isOfRun ?? false) &&
    isAmong(filter.statuses, deadLetter.status) &&
    isAmong(filter.errors, deadLetter.error ?? "") &&
    isAmong(filter.causes, deadLetter.cause) &&
    isAmong(filter.deadLetterIds, deadLetterId(deadLetter)) &&
    matchesMessage(filter, message, deadLetter.diedAt)
  );
}
