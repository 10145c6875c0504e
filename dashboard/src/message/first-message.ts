/** Whether the account has ever had a message. Until then the first page takes the place of the list. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LogPage } from "../../../sdk/src/answers/message.ts";
import { call } from "../app/api.ts";
import { useLive } from "../app/live.ts";
import { whenSessionOver } from "../app/session.ts";

/** Undefined until it is known. */
const hasNone = signal<boolean | undefined>(undefined);
export const isWaitingForFirst = signal(false);
whenSessionOver(() => (hasNone.value = undefined));

export function useFirstMessage(): boolean | undefined {
  useEffect(() => {
    if (hasNone.value !== false) void ask();
    return () => {
      isWaitingForFirst.value = false;
    };
  }, []);
  useLive(() => known(false), hasNone.value === true);
  return hasNone.value;
}

async function ask(): Promise<void> {
  try {
    const { logs } = await call<LogPage>("/v2/logs?count=1");
    known(logs.length === 0);
  } catch {
    known(false);
  }
}

function known(isNone: boolean): void {
  hasNone.value = isNone;
  isWaitingForFirst.value = isNone;
}

export function noteFirstMessage(): void {
  known(false);
}
