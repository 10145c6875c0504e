/** Ids that are drawn for a call, so that the service stores a repeated request once. */
import { drawId } from "../runtime.ts";
import type { MessageSettings } from "../settings.ts";
import type { Transport } from "../transport.ts";

/** The settings of a message, and what removes the trace of a drawn id from the answer. */
export interface Once<Settings> {
  readonly settings: Settings;
  readonly shown: <Answer>(answer: Answer) => Answer;
}

/** A message with an id of its own, unless the caller has decided how duplicates are found. */
export function once<Settings extends MessageSettings>(
  { deduplicates }: Transport,
  settings: Settings,
): Once<Settings> {
  const { deduplicationId, contentBasedDeduplication } = settings;
  if (!deduplicates || deduplicationId !== undefined || contentBasedDeduplication === true) {
    return { settings, shown: unchanged };
  }
  return { settings: { ...settings, deduplicationId: drawCallId() }, shown: withoutDuplicate };
}

export function drawCallId(): string {
  return drawId(CALL_ID_LENGTH);
}

/** A duplicate of a drawn id is the message of this very call. */
export function withoutDuplicate<Answer>(answer: Answer): Answer {
  if (Array.isArray(answer)) return answer.map(withoutDuplicate) as Answer;
  if (typeof answer !== "object" || answer === null || !("deduplicated" in answer)) return answer;
  const { deduplicated: _, ...rest } = answer;
  return rest as Answer;
}

function unchanged<Answer>(answer: Answer): Answer {
  return answer;
}

/** 128 bits. */
const CALL_ID_LENGTH = 22;
