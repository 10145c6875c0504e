import type { Act } from "../../core/act.ts";

/** The account that an act belongs to; empty for acts of the service, which name none or several. */
export function accountOf(act: Act): string {
  // These two are the acts of every message.
  if (act.rule === "publish") return act.items[0]?.message.state.accountId ?? "";
  if (act.rule === "settle") return act.lease.accountId;
  if ("accountId" in act) return act.accountId;
  if ("lease" in act) return act.lease.accountId;
  if ("ref" in act) return act.ref.accountId;
  if ("key" in act) return act.key.accountId;
  if ("keys" in act) return act.keys[0]?.accountId ?? "";
  if ("refs" in act) return act.refs[0]?.accountId ?? "";
  if ("account" in act) return act.account.accountId;
  return "run" in act ? act.run.accountId : "";
}

/** Roughly the number of rows, since a slow act is one of many messages. */
export function rowsOf(act: Act): number {
  if (act.rule === "publish") return act.items.length;
  if (act.rule === "settle") return 1;
  if ("keys" in act) return act.keys.length;
  return act.rule === "tick" ? act.ticks.length : 1;
}
