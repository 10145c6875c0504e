/** Dead letters: messages that were not delivered, and runs that failed. */
import type { DeadLetter as DeadMessage } from "../../../sdk/src/answers/dead-letter.ts";
import type { DeadRun } from "../../../sdk/src/answers/dead-run.ts";
import { answerWords } from "../message/answer-words.ts";
import { messageHref } from "../message/message-href.ts";
import { errorStepName, runHref } from "../workflow/run-log.ts";

export type DeadKind = "messages" | "runs";
export type DeadAction = "retry" | "resume" | "restart" | "delete";

/** A row of `GET /v2/dlq` or of `GET /v2/workflows/dlq`. */
export type DeadLetter = Pick<DeadMessage, keyof DeadMessage & keyof DeadRun> &
  Partial<DeadRun> &
  Partial<Pick<DeadMessage, "queueName">>;

export const LISTS: Readonly<Record<DeadKind, string>> = {
  messages: "/v2/dlq",
  runs: "/v2/workflows/dlq",
};

export function hrefOf(letter: DeadLetter): string {
  return letter.workflowRunId === undefined
    ? messageHref({ id: letter.messageId })
    : runHref(letter.workflowRunId, letter.workflowCreatedAt);
}

/** The id of a dead letter begins with the instant of its death. */
export function failedAt({ dlqId }: DeadLetter): number {
  const at = Number(dlqId.split("-")[0]);
  return Number.isFinite(at) ? at : 0;
}

/** What was answered, in a few words; else the error. */
export function answerText({ responseBody = "", error = "" }: DeadLetter): string {
  return answerWords(responseBody) || answerWords(error);
}

export function stepIn(letter: DeadLetter): string | null {
  return errorStepName(letter.responseHeader);
}
