import type { Wait } from "../../../sdk/src/answers/message.ts";
import type { WaitReason } from "../../../sdk/src/answers/words.ts";
import { durationText } from "../terminal/time-text.ts";

/** Why a message is not being sent, and until when. */
export function waitingText(wait: Wait, now: number): string {
  const { reason, line, endsAt, pausedBy, heldBy = [] } = wait;
  const where = line === undefined ? "" : ` (${line.kind} ${line.name})`;
  const until = endsAt === null ? "" : `, for ${durationText(endsAt - now)}`;
  const by = pausedBy === undefined ? "" : ` by the ${pausedBy}`;
  const held = heldBy.length === 0 ? "" : `; held by ${heldBy.join(", ")}`;
  return `${WORDS[reason]}${by}${where}${until}${held}`;
}

const WORDS: Readonly<Record<WaitReason, string>> = {
  delay: "its delay is not over",
  retry: "its next retry is not due",
  paused: "paused",
  "queue-full": "the queue delivers as many as it may",
  "key-rate": "the rate of its key is used up",
  "key-parallelism": "its key delivers as many as it may",
  "account-parallelism": "the account delivers as many as it may",
  "host-full": "the host is sent as many as it may",
  "host-failing": "the host is failing",
  "node-full": "the server is busy",
};
