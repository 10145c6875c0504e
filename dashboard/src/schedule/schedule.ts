/** A schedule, and what can be done with it. */
import type { Published } from "../../../sdk/src/answers/message.ts";
import { act } from "../app/announce.ts";
import { call } from "../app/api.ts";
import { navigate } from "../app/router.ts";

export function schedulePath(id: string): string {
  return `/v2/schedules/${encodeURIComponent(id)}`;
}

export function scheduleHref(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}

export function isUrl(destination: string): boolean {
  return /^https?:\/\//i.test(destination);
}

/** Pauses or resumes; the toast has the way back. */
export async function setPaused(id: string, isPaused: boolean, canUndo = true): Promise<void> {
  const change = () =>
    call(`${schedulePath(id)}/${isPaused ? "pause" : "resume"}`, { method: "POST" });
  const words = isPaused
    ? { done: `Schedule ${id} is paused.`, failed: `Schedule ${id} was not paused.` }
    : { done: `Schedule ${id} runs again.`, failed: `Schedule ${id} was not resumed.` };
  const undo = canUndo ? () => void setPaused(id, !isPaused, false) : undefined;
  await act(change, words, undo);
}

/** Publishes its message now; the message opens when it is one. */
export async function runNow(id: string): Promise<void> {
  const run = async (): Promise<void> => {
    const answer = await call<Published | readonly Published[]>(`${schedulePath(id)}/run`, {
      method: "POST",
    });
    if ("messageId" in answer) navigate(`/messages/${answer.messageId}`);
  };
  const words = { done: `Sent the message of ${id}.`, failed: `Schedule ${id} was not run.` };
  await act(run, words);
}
