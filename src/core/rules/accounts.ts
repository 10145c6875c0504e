import type { AddAccountAct, RotateSigningKeysAct } from "../act.ts";
import type { Rule } from "../rule.ts";

/** Adds an account; several nodes may try at once, and the first one wins. */
export const addAccount: Rule<AddAccountAct> = {
  needs: ({ account }) => ({ accounts: [account.accountId] }),
  decide: ({ account }, rows) =>
    rows.account(account.accountId)
      ? { changes: [], answer: "exists" }
      : { changes: [{ type: "account.added", account }], answer: "added" },
};

/** The next key becomes the current one. */
export const rotateSigningKeys: Rule<RotateSigningKeysAct> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, next }, rows) => {
    const account = rows.account(accountId);
    if (account === null) return { changes: [], answer: null };
    const signingKeys = { current: account.signingKeys.next, next };
    return {
      changes: [{ type: "account.changed", account: { ...account, signingKeys } }],
      answer: signingKeys,
    };
  },
};
