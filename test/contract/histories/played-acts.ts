import type { Act } from "../../../src/core/rules/registry.ts";

/** Pieces of reports, settings of lines, groups, schedules and accounts put nothing at hand; runs have histories of their own. */
const NOT_PLAYED = [
  "set-line",
  "unset-line",
  "put-endpoints",
  "remove-endpoints",
  "set-url-group-headers",
  "remove-url-group",
  "put-schedule",
  "remove-schedule",
  "pause-schedule",
  "tick",
  "add-account",
  "change-account",
  "delete-account",
  "rotate-credentials",
  "rotate-signing-keys",
  "make-lines-due",
  "add-token",
  "revoke-token",
  "use-token",
  "set-operator",
  "pause-service",
  "begin-secret-rotation",
  "reseal-signing-keys",
  "end-secret-rotation",
  "start-run",
  "restart-first-step",
  "append",
  "reply",
  "end-run",
  "rerun",
  "retry-report",
  "cancel-report",
  "wait",
  "notify",
  "time-out-wait",
  "keep-piece",
] as const satisfies readonly Act["rule"][];

type PlayedRule = Exclude<Act["rule"], (typeof NOT_PLAYED)[number]>;

/** A new act is either named above, or played and told what its answer puts at hand. */
export function isPlayed(act: Act): act is Extract<Act, { readonly rule: PlayedRule }> {
  return !NOT_PLAYED.some((rule) => rule === act.rule);
}
