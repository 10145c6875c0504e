import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { MAIN_TOKEN_ID, READ_ONLY_TOKEN_ID } from "../../model/account/account.ts";
import {
  addAccount,
  changeAccount,
  type ChangeAccountAct,
  deleteAccount,
  makeLinesDue,
  newAccount,
  pauseService,
  rotateCredentials,
  rotateSigningKeys,
  setOperator,
} from "./accounts.ts";

const account = anAccount();
const operator = { user: "root", passwordHash: "hash" };
const OWNED = { operator: { user: "other", passwordHash: "hash" }, isPaused: true };

test("an account is added once, and for one customer", () => {
  const act = { rule: "add-account", account } as const;
  const added = { type: "account.added", account };
  assert.deepEqual(addAccount.decide(act, rowsOf({})), { changes: [added], answer: "added" });
  const exists = addAccount.decide(act, rowsOf({ accounts: [account] }));
  assert.deepEqual(exists, { changes: [], answer: "exists" });
  const other = { ...account, accountId: "other" };
  const known = addAccount.decide(act, rowsOf({ accounts: [other] }));
  assert.deepEqual(known, { changes: [], answer: "customer-exists" });
});

test("the first account brings the operator, unless there is one", () => {
  const act = { rule: "add-account", account, operator } as const;
  const service = { operator: null, isPaused: true };
  assert.deepEqual(addAccount.decide(act, rowsOf({ service })).changes, [
    { type: "account.added", account },
    { type: "service.changed", service: { operator, isPaused: true } },
  ]);
  const owned = addAccount.decide(act, rowsOf({ service: OWNED }));
  assert.deepEqual(owned.changes, [{ type: "account.added", account }]);
  const needs = { accounts: ["account"], customers: ["account@example.com"] };
  assert.deepEqual(addAccount.needs(act), { ...needs, service: true });
  const { operator: _operator, ...alone } = act;
  assert.deepEqual(addAccount.needs(alone), { ...needs, service: false });
});

const changed = (more: Partial<ChangeAccountAct>, known = account) =>
  changeAccount.decide(
    { rule: "change-account", at: 9, accountId: "account", fields: {}, ...more },
    rowsOf({ accounts: [known] }),
  ).answer;

test("what is not named stays, and the plan says when it was changed", () => {
  assert.deepEqual(changed({}), account);
  assert.equal(changed({ fields: { plan: "free" } })?.planChangedAt, 9);
  assert.equal(changed({ fields: { plan: account.plan } })?.planChangedAt, 0);
  assert.equal(changed({ fields: { budgetDollars: 20 } })?.planChangedAt, 0);
  assert.equal(changed({ fields: { budgetDollars: 20 } })?.budgetDollars, 20);
  assert.equal(changed({ accountId: "gone" }), null);
});

test("a suspended or paused account is halted", () => {
  assert.equal(changed({ fields: { isPaused: true } })?.isHalted, true);
  assert.equal(changed({ fields: { isSuspended: true } })?.isHalted, true);
  assert.equal(changed({ fields: {} })?.isHalted, false);
});

test("an account that is being deleted is suspended, whatever else is said of it", () => {
  const act = { rule: "delete-account", accountId: "account", at: 9 } as const;
  const deleting = deleteAccount.decide(act, rowsOf({ accounts: [account] })).answer!;
  const stateOf = ({ isSuspended, isHalted, deletingSince }: typeof deleting) => [
    isSuspended,
    isHalted,
    deletingSince,
  ];
  assert.deepEqual(stateOf(deleting), [true, true, 9]);
  assert.deepEqual(stateOf(changed({ fields: { isSuspended: false } }, deleting)!), [
    true,
    true,
    9,
  ]);
  const again = deleteAccount.decide({ ...act, at: 10 }, rowsOf({ accounts: [deleting] }));
  assert.deepEqual(again, { changes: [], answer: deleting });
});

test("limits are set, or return to those of the plan", () => {
  const known = anAccount({ plan: "free", overrides: { urlGroupsMax: 7, queuesMax: 8 } });
  const overrides = { set: { schedulesMax: 9 }, unset: ["queuesMax"] } as const;
  const after = changed({ overrides }, known)!;
  assert.deepEqual(after.overrides, { urlGroupsMax: 7, schedulesMax: 9 });
  const { urlGroupsMax, queuesMax, schedulesMax } = after.limits;
  assert.deepEqual([urlGroupsMax, queuesMax, schedulesMax], [7, 10, 9]);
});

const rotated = (graceMs: number) =>
  rotateCredentials.decide(
    {
      rule: "rotate-credentials",
      at: 9,
      accountId: "account",
      credentials: { tokenHash: "t", readOnlyTokenHash: "r", passwordHash: "p" },
      graceMs,
    },
    rowsOf({
      accounts: [
        anAccount({ tokenUses: { [MAIN_TOKEN_ID]: 1, [READ_ONLY_TOKEN_ID]: 2, tok_1: 3 } }),
      ],
    }),
  );

test("old tokens end at once, or after the time of grace", () => {
  const { answer, changes } = rotated(0);
  assert.deepEqual(
    [answer?.tokenHash, answer?.readOnlyTokenHash, answer?.passwordHash],
    ["t", "r", "p"],
  );
  assert.deepEqual([answer?.previousTokens, answer?.tokenUses], [null, { tok_1: 3 }]);
  assert.deepEqual(changes, [{ type: "account.changed", account: answer }]);
  assert.deepEqual(rotated(1).answer?.previousTokens, {
    tokenHash: "account-token",
    readOnlyTokenHash: "account-read-only-token",
    until: 10,
  });
});

test("the next signing key becomes the current one", () => {
  const act = { rule: "rotate-signing-keys", accountId: "account", next: "new" } as const;
  const { answer, changes } = rotateSigningKeys.decide(act, rowsOf({ accounts: [account] }));
  const signingKeys = { current: "account-next", next: "new" };
  assert.deepEqual(answer, signingKeys);
  assert.deepEqual(changes, [{ type: "account.changed", account: { ...account, signingKeys } }]);
  assert.equal(rotateSigningKeys.decide(act, rowsOf({})).answer, null);
});

test("lines are due at once", () => {
  const act = { rule: "make-lines-due", at: 9, accountId: "account", lines: ["a", "b"] } as const;
  assert.deepEqual(
    makeLinesDue.decide(act, rowsOf({})).changes,
    ["a", "b"].map((line) => ({ type: "line.changed", accountId: "account", line, at: 9 })),
  );
});

test("a new account has no token of its own making, and waits for nothing", () => {
  const { dialect, previousTokens, namedTokens, tokenUses, ...kept } = account;
  const made = newAccount({ ...kept, passwordHash: "p" });
  assert.deepEqual(
    [made.dialect, made.previousTokens, made.namedTokens, made.tokenUses],
    [dialect, previousTokens, namedTokens, tokenUses],
  );
  assert.deepEqual([made.isHalted, made.isSuspended, made.planChangedAt], [false, false, 0]);
});

test("the first operator stays, and a pause is kept beside it", () => {
  const act = { rule: "set-operator", operator } as const;
  const service = { operator: null, isPaused: true };
  assert.deepEqual(setOperator.decide(act, rowsOf({ service })), {
    changes: [{ type: "service.changed", service: { operator, isPaused: true } }],
    answer: "set",
  });
  const exists = setOperator.decide(act, rowsOf({ service: OWNED }));
  assert.deepEqual(exists, { changes: [], answer: "exists" });
  const pause = { rule: "pause-service", isPaused: false } as const;
  assert.deepEqual(pauseService.decide(pause, rowsOf({ service: OWNED })).changes, [
    { type: "service.changed", service: { ...OWNED, isPaused: false } },
  ]);
  assert.deepEqual(
    [setOperator.needs(act), pauseService.needs(pause)],
    [{ service: true }, { service: true }],
  );
});
