import type { BodyPiece } from "../../core/model/message/body-piece.ts";
import type { DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import type { LineKey } from "../../core/model/line/line.ts";
import type { MessageKey } from "../../core/model/message/message.ts";
import type { ScheduleKey } from "../../core/model/schedule/schedule.ts";
import type { UrlGroupKey } from "../../core/model/url-group/url-group.ts";

/** Keys as text, to find rows in memory. */
export const urlGroupKey = (key: UrlGroupKey): string => pairKey(key.accountId, key.name);
export const scheduleKey = (key: ScheduleKey): string => pairKey(key.accountId, key.scheduleId);
export const lineKey = (key: LineKey): string => pairKey(key.accountId, key.line);
export const messageKey = (key: MessageKey): string => pairKey(key.accountId, key.messageId);
export const bodyPieceKey = (key: Omit<BodyPiece, "body">): string =>
  `${messageKey(key)}\0${key.attempt}-${key.piece}`;
export const deadLetterKey = (key: DeadLetterKey): string =>
  pairKey(key.accountId, `${key.diedAt}-${key.number}`);

/** Account ids contain no NUL, so two different pairs never give the same text. */
export function pairKey(accountId: string, rest: string): string {
  return `${accountId}\0${rest}`;
}
