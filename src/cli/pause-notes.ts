import type { Service } from "../service.ts";

/** The notes of the ready block and the log about a service that starts with deliveries paused. */
export function pauseNotes({ isPaused }: Pick<Service, "isPaused">): string[] {
  return isPaused ? [PAUSED] : [];
}

const PAUSED =
  "deliveries are paused: messages are accepted and nothing is sent until postrider resume";
