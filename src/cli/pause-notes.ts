import type { Service } from "../service.ts";

/** What the ready block and the log say of a service that delivers nothing yet. */
export function pauseNotes({ isPaused }: Pick<Service, "isPaused">): string[] {
  return isPaused ? [PAUSED] : [];
}

const PAUSED =
  "deliveries are paused: messages are accepted and nothing is sent until postrider resume";
