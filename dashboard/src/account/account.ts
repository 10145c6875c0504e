/** What the console says of an account. It never shows what the account sends. */
import type { Account } from "../../../sdk/src/answers/account.ts";
import { act } from "../app/announce.ts";
import { call } from "../app/api.ts";

export function planOf({ type, reserved_type }: Account): string {
  return reserved_type === "" ? type : reserved_type;
}

/** The number by which a record says that there is no limit. */
export const NO_LIMIT = 2_147_483_647;

export function accountHref(id: string): string {
  return `/accounts/${encodeURIComponent(id)}`;
}

export function consolePath(verb: string, id: string): string {
  return `/v2/svc/${verb}/${encodeURIComponent(id)}`;
}

/** `active`, or what stops it. A suspended account is not served at all, so it wins. */
export function stateOf(
  account: Pick<Account, "state" | "active" | "paused" | "modifying_state">,
): "active" | "paused" | "suspended" | "deleting" {
  const { state, active, paused, modifying_state: change } = account;
  if (change === "deleting") return change;
  if (!active || state !== "active") return "suspended";
  return paused ? "paused" : "active";
}

/** Pauses or resumes the deliveries of an account; the toast has the way back. */
export async function setAccountPaused(
  account: Pick<Account, "id" | "customer_id">,
  isPaused: boolean,
  canUndo = true,
): Promise<void> {
  const { id, customer_id: name } = account;
  const change = () => call(consolePath(isPaused ? "pause" : "resume", id), { method: "POST" });
  const words = isPaused
    ? {
        done: `Deliveries of ${name} are paused.`,
        failed: `Deliveries of ${name} were not paused.`,
      }
    : { done: `Deliveries of ${name} go on.`, failed: `Deliveries of ${name} were not resumed.` };
  const undo = canUndo ? () => void setAccountPaused(account, !isPaused, false) : undefined;
  await act(change, words, undo);
}
