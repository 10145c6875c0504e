import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import type { DeadLetter, DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import type { DeadLetterFilter } from "../../core/model/message/dead-letter-filter.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { Page, PageRequest } from "./page.ts";

export interface DeadLetterReader {
  /** A message body longer than `bodyBytesMax` is cut. */
  get(key: DeadLetterKey, bodyBytesMax?: number): Promise<StoredDeadLetter | null>;
  list(
    accountId: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Promise<Page<StoredDeadLetter>>;
}

export interface StoredDeadLetter {
  readonly deadLetter: DeadLetter;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
}
