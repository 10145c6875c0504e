/** What happened, said in one sentence: with a way back where there is one, and until it is closed where it failed. */
import { signal } from "@preact/signals";
import { whenSessionOver } from "./session.ts";

export interface Announcement {
  readonly sentence: string;
  readonly undo?: (() => void) | undefined;
  readonly isFailure: boolean;
}

/** What is said now. */
export const announcement = signal<Announcement | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;
whenSessionOver(() => (announcement.value = null));

function say(said: Announcement): void {
  clearTimeout(timer);
  announcement.value = said;
  if (!said.isFailure)
    timer = setTimeout(() => (announcement.value = null), said.undo === undefined ? 4_000 : 8_000);
}

export function announce(sentence: string, undo?: () => void): void {
  say({ sentence, undo, isFailure: false });
}

/** The sentence says what did not happen; the error, why. */
export function announceFailure(sentence: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  say({ sentence: `${sentence} ${reason}.`.replace(/\.\.$/, "."), isFailure: true });
}

interface ActWords {
  /** `Queue orders-eu is paused.` */
  readonly done: string;
  /** `Queue orders-eu was not paused.` */
  readonly failed: string;
}

/** A change that the reader asked for: it is done, and said; or it is not, and said why. */
export async function act(
  change: () => Promise<unknown>,
  { done, failed }: ActWords,
  undo?: () => void,
): Promise<void> {
  try {
    await change();
    announce(done, undo);
  } catch (error) {
    announceFailure(failed, error);
  }
}
