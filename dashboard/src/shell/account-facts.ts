/** What the side bar counts: read once for the whole page, and again every half minute. */
import { effect, signal } from "@preact/signals";
import type { OwnAccount } from "../answers/account.ts";
import { call } from "../app/api.ts";
import { isOperator, session } from "../app/session.ts";
import { noteReached, noteUnreachable } from "../app/reachable.ts";
import { ApiError } from "../app/api.ts";

export const accountFacts = signal<OwnAccount | null>(null);

/** They belong to the account of the session. */
effect(() => {
  if (session.value === null) accountFacts.value = null;
});

/** How many there are of a thing, by the name of its limit. */
export function usedOf(limit: string): number | null {
  return accountFacts.value?.usage.find((row) => row.limit === limit)?.used ?? null;
}

export async function refreshAccountFacts(): Promise<void> {
  if (session.value === null || session.value === undefined || isOperator.value) return;
  try {
    accountFacts.value = await call<OwnAccount>("/v2/account");
    noteReached();
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) noteUnreachable();
  }
}

setInterval(() => {
  if (!document.hidden) void refreshAccountFacts();
}, 30_000);
