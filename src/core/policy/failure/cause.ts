import { type AttemptRecord, answerHeadersOf } from "../../model/message/attempt.ts";
import { answerError } from "./answer-error.ts";

/**
 * Why a message or run died, in a text that is the same for failures of one kind: the error of the
 * attempt, else the name and message in its answer, else its status. Numbers and ids are masked.
 */
export function causeOf(
  attempt: Pick<AttemptRecord, "status" | "error" | "headers" | "body">,
): string {
  const text = attempt.error ?? answeredText(attempt);
  const cause = text === undefined ? "" : masked(text);
  return cause === "" ? `status ${attempt.status}` : cause;
}

function answeredText(attempt: Pick<AttemptRecord, "headers" | "body">): string | undefined {
  const error = answerError(attempt.body);
  if (error !== null)
    return error.name === undefined ? error.message : `${error.name}: ${error.message}`;
  if (!isPlainText(attempt)) return undefined;
  return new TextDecoder().decode(attempt.body.subarray(0, TEXT_MAX)).trim().split("\n")[0];
}

function isPlainText(attempt: Pick<AttemptRecord, "headers">): boolean {
  return answerHeadersOf(attempt).some(
    ([name, value]) => /^content-type$/i.test(name) && /^text\/plain\b/i.test(value),
  );
}

/**
 * The text with `<id>` and `<n>` in place of what differs from one failure to the next. Texts in
 * quotes stay: they often name the field or the function that failed.
 */
export function masked(text: string): string {
  let result = text.slice(0, TEXT_MAX).replaceAll(UNSEEN, " ");
  for (const [pattern, mask] of MASKS) result = result.replaceAll(pattern, mask);
  return result
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, CAUSE_CHARACTERS_MAX)
    .trimEnd()
    .toWellFormed();
}

/** From the most special to the most common. */
const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  // UUIDs.
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "<id>"],
  // Addresses of mail.
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, "<id>"],
  // Dates with or without a time.
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?\b/g, "<n>"],
  // IPv6 addresses, which have at least two colons.
  [/(?<![\w:])(?=[:\da-f]*\d)(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:])/gi, "<n>"],
  // Ids with the kind of thing in front, as our own: `msg_01JGFJ`.
  [/\b([a-z]{2,12})_(?=[A-Za-z]*\d)[\dA-Za-z]+(?:[-_][\dA-Za-z]+)*\b/g, "$1_<id>"],
  // Hexadecimal numbers and hashes.
  [/\b0x[\da-f]+\b/gi, "<n>"],
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{8,}\b/gi, "<id>"],
  // Long words of letters and digits; a short one, as in E11000 or P2002, is the code of an error.
  [/\b(?=[a-z]*\d)(?=\d*[a-z])[\da-z]{16,}\b/gi, "<id>"],
  [/\b[a-z]{1,8}\d{6,}\b/gi, "<id>"],
  // Numbers, also with a unit: `3012ms`, `1.5MB`, `10.0.0.1:80`.
  [/(?<![\w<])\d+(?:[.,:]\d+)*(?=[a-z]{0,3}\b|%)/gi, "<n>"],
];

const TEXT_MAX = 2_000;
/** A cause is not longer. */
export const CAUSE_CHARACTERS_MAX = 200;
/** Characters that are not seen, and of which PostgreSQL cannot store one. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;
