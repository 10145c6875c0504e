/** What the console says of an account. It never shows what the account sends. */
import { act } from "../app/act.ts";
import { call } from "../app/api.ts";

export interface AccountRecord {
  readonly customer_id: string;
  readonly id: string;
  readonly active: boolean;
  readonly state: string;
  readonly paused: boolean;
  /** The headers of messages that name none; null for the setting of the server. */
  readonly dialect: "svc" | "upstash" | "both" | null;
  /** The plan, or `paid` for one of the fixed plans, which `reserved_type` names. */
  readonly type: string;
  readonly reserved_type: string;
  /** In dollars a month; 0 is no limit. */
  readonly budget: number;
  readonly created_by: string;
  /** In unix seconds. */
  readonly creation_time: number;
  readonly max_requests_per_day: number;
  readonly max_requests_per_day_hard: number;
  readonly limit_overrides: Readonly<Record<string, number>>;
}

export interface AccountStats {
  readonly daily_requests: number;
  readonly over_daily_limit: boolean;
  readonly days: readonly {
    readonly day: string;
    readonly messages: number;
    readonly delivered: number;
    readonly failed: number;
    readonly dropped: number;
  }[];
}

export function planOf({ type, reserved_type }: AccountRecord): string {
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
export function stateOf({
  state,
  active,
  paused,
}: AccountRecord): "active" | "paused" | "suspended" {
  if (!active || state !== "active") return "suspended";
  return paused ? "paused" : "active";
}

/** Pauses or resumes the deliveries of an account; the toast has the way back. */
export async function setAccountPaused(
  account: Pick<AccountRecord, "id" | "customer_id">,
  isPaused: boolean,
  onDone: () => void,
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
  const undo = canUndo ? () => void setAccountPaused(account, !isPaused, onDone, false) : undefined;
  if (await act(change, words, undo)) onDone();
}
