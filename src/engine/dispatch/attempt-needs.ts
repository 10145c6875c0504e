import type { Message } from "../../core/model/message/message.ts";
import { Problem } from "../../core/problem.ts";
import type { EngineOptions } from "../engine-options.ts";

/** What the account of a message gives an attempt. */
export interface AttemptNeeds {
  readonly signingKey: string;
  /** Complete up to the account's message size for what is passed on; else undefined. */
  readonly answerBytesMax: number | undefined;
}

/** Null when the store cannot tell it now, after a pause. */
export async function attemptNeeds(
  options: Pick<EngineOptions, "account" | "clock" | "signingKey">,
  message: Message,
): Promise<AttemptNeeds | null> {
  const { account, clock, signingKey } = options;
  try {
    const known = signingKey(message.accountId);
    return {
      signingKey: typeof known === "string" ? known : await known,
      answerBytesMax: isPassedOn(message)
        ? (await account(message.accountId))?.limits.messageBytesMax
        : undefined,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // Given back, it is soon leased again.
    await clock.sleep(PAUSE_MS);
    return null;
  }
}

/** Whether a follow-up carries the response: a result, a failure report or a callback. */
function isPassedOn({ kind, run, settings }: Message): boolean {
  if (run !== undefined) return kind !== "failure-call";
  return settings.callback !== undefined || settings.failureCallback !== undefined;
}

const PAUSE_MS = 1_000;
