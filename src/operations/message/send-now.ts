import type { MessageKey } from "../../core/model/message/message.ts";
import { Problem } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { messageNotFound } from "./messages.ts";

/** Makes a waiting message due. One that has ended, or never existed, is not found. */
export async function sendNow(
  { store, clock, bell }: Context,
  key: MessageKey,
): Promise<"due" | "active"> {
  const answer = await store.act({ rule: "send-now", at: clock.now(), key });
  if (answer === "ended") throw messageNotFound(key);
  if (answer === "asleep") {
    throw new Problem("invalid-request", "messageId: its workflow run sleeps; it wakes by itself");
  }
  if (answer === "due") bell.ring();
  return answer;
}
