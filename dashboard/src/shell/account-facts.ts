/** What the side bar counts: read once for the whole page, and again every half minute. */
import { effect, signal } from "@preact/signals";
import { call } from "../app/api.ts";
import { isOperator, session } from "../app/session.ts";
import { noteReached, noteUnreachable } from "../app/reachable.ts";
import { ApiError } from "../app/api.ts";

export interface AccountFacts {
  readonly id: string;
  /** The plan. */
  readonly type: string;
  readonly usage: readonly {
    readonly limit: string;
    readonly used: number;
    readonly max: number | null;
    readonly says: string;
  }[];
}

export const accountFacts = signal<AccountFacts | null>(null);

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
    accountFacts.value = await call<AccountFacts>("/v2/account");
    noteReached();
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) noteUnreachable();
  }
}

setInterval(() => {
  if (!document.hidden) void refreshAccountFacts();
}, 30_000);
