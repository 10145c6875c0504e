import type { AttemptRecord } from "../../core/model/message/attempt.ts";
import { type DeadLetter, deadLetterId } from "../../core/model/message/dead-letter.ts";
import type { Message } from "../../core/model/message/message.ts";
import { shownBody } from "./body.ts";
import type { TypeOf } from "../json/schema.ts";
import type { DEAD_LETTER, DEAD_LETTER_GROUP } from "./message-schemas.ts";
import { answerHeaders, cutMark, messageJson } from "./message.ts";

/** A dead letter with its message and its last attempt. */
export interface DeadMessage {
  readonly deadLetter: DeadLetter;
  readonly message: Message;
  readonly body: Uint8Array;
  readonly attempt: AttemptRecord | null;
}

type Group = TypeOf<typeof DEAD_LETTER_GROUP>;
/** Dead letters that failed alike. */
type ShownGroup = Omit<Group, "responseStatus" | "error"> & {
  readonly status: number;
  readonly error: string | null;
};

export function deadLetterGroupJson({ status, error, ...group }: ShownGroup): Group {
  const { cause, count, firstAt, lastAt } = group;
  return { responseStatus: status, cause, error: error ?? undefined, count, firstAt, lastAt };
}

/** A dead letter as the API shows it: its message and its end. */
export function deadLetterJson({
  deadLetter,
  message,
  body,
  attempt,
}: DeadMessage): TypeOf<typeof DEAD_LETTER> {
  return { ...messageJson(message, body), ...deathJson(deadLetter, attempt) };
}

/** Why a message or a run ended, and its last response; status 0 for no response. */
export function deathJson(deadLetter: DeadLetter, attempt: AttemptRecord | null) {
  const { text, base64 } = shownBody(attempt?.body ?? "");
  return {
    dlqId: deadLetterId(deadLetter),
    error: deadLetter.error,
    cause: deadLetter.cause,
    responseStatus: deadLetter.status,
    responseHeader: answerHeaders(attempt),
    responseBody: text === "" ? undefined : text,
    responseBodyBase64: base64,
    responseBodyTruncated: cutMark(attempt),
  };
}
