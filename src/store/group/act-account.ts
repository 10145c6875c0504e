import type { Act } from "../../core/rules/registry.ts";

type ActOf<Name extends Act["rule"]> = Extract<Act, { rule: Name }>;

interface Weighing<A> {
  /** The account that the act belongs to; empty for the service, whose acts name none or several. */
  readonly account: (act: A) => string;
  /** Roughly the number of rows, since a slow act is one of many messages; one unless given. */
  readonly rows?: (act: A) => number;
}

const ofAccount = { account: (act: { readonly accountId: string }) => act.accountId };
const ofKey = { account: (act: { readonly key: Owned }) => act.key.accountId };
const ofKeys = {
  account: (act: { readonly keys: readonly Owned[] }) => act.keys[0]?.accountId ?? "",
  rows: (act: { readonly keys: readonly Owned[] }) => act.keys.length,
};
const ofLease = { account: (act: { readonly lease: Owned }) => act.lease.accountId };
const ofRef = { account: (act: { readonly ref: Owned }) => act.ref.accountId };
const ofService = { account: () => "" };

interface Owned {
  readonly accountId: string;
}

/** A new act does not compile until it is here. */
const WEIGHINGS: { readonly [Name in Act["rule"]]: Weighing<ActOf<Name>> } = {
  publish: {
    account: ({ items }) => items[0]?.message.state.accountId ?? "",
    rows: ({ items }) => items.length,
  },
  settle: ofLease,
  "keep-piece": ofLease,
  "hand-back": ofLease,
  cancel: ofKeys,
  "remove-dead-letters": ofKeys,
  "send-now": ofKey,
  "send-many-now": {
    account: ({ messages }) => messages[0]?.key.accountId ?? "",
    rows: ({ messages }) => messages.length,
  },
  "retry-dead-letter": ofKey,
  "set-line": ofAccount,
  "unset-line": ofAccount,
  "put-endpoints": ofKey,
  "remove-endpoints": ofKey,
  "set-url-group-headers": ofKey,
  "remove-url-group": ofKey,
  "put-schedule": ofKey,
  "remove-schedule": ofKey,
  "pause-schedule": ofKey,
  tick: { ...ofService, rows: ({ ticks }) => ticks.length },
  "add-account": { account: ({ account }) => account.accountId },
  "change-account": ofAccount,
  "delete-account": ofAccount,
  "rotate-credentials": ofAccount,
  "rotate-signing-keys": ofAccount,
  "make-lines-due": { ...ofAccount, rows: ({ lines }) => lines.length },
  "add-token": ofAccount,
  "revoke-token": ofAccount,
  "use-token": ofAccount,
  "set-operator": ofService,
  "pause-service": ofService,
  "begin-secret-rotation": ofService,
  "reseal-signing-keys": ofAccount,
  "end-secret-rotation": ofService,
  "start-run": { account: ({ run }) => run.accountId },
  "restart-first-step": ofRef,
  append: { ...ofRef, rows: ({ items }) => items.length },
  reply: { ...ofLease, rows: ({ reply }) => (reply.kind === "steps" ? 1 + reply.items.length : 1) },
  "end-run": ofRef,
  wait: ofRef,
  notify: {
    account: ({ refs }) => refs[0]?.accountId ?? "",
    // To one run, there are ids for many more waits than it has.
    rows: ({ isKept, refs, messageIds }) => (isKept ? refs.length : messageIds.length),
  },
  "time-out-wait": ofKey,
  rerun: { ...ofKey, rows: ({ entries }) => entries.length },
  "retry-report": ofKey,
  "cancel-report": ofKey,
};

export function accountOf(act: Act): string {
  return weighingOf(act).account(act);
}

/** Whether it ends an attempt or continues a run: others wait for the slot that it holds. */
export function isCompletion({ rule }: Act): boolean {
  return COMPLETIONS.has(rule);
}

export function rowsOf(act: Act): number {
  return Math.max(1, weighingOf(act).rows?.(act) ?? 1);
}

/** The table guarantees that the functions fit the act. */
function weighingOf(act: Act): Weighing<Act> {
  return WEIGHINGS[act.rule] as Weighing<Act>;
}

const COMPLETIONS: ReadonlySet<Act["rule"]> = new Set([
  "settle",
  "keep-piece",
  "hand-back",
  "append",
  "reply",
  "end-run",
  "time-out-wait",
]);
