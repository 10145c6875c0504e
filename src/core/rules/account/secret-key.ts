import type { SecretKeyMark, ServiceRecord, SigningKeys } from "../../model/account/account.ts";
import type { Rule } from "../../rule.ts";

/** The answer to an act whose text was sealed by a key that is no longer in use. */
export const OTHER_KEY = "other-key";

export function isSealedByOther({ secretKey }: ServiceRecord, keyId: string): boolean {
  return secretKey !== undefined && secretKey.keyId !== keyId;
}

export interface BeginSecretRotationAct {
  readonly rule: "begin-secret-rotation";
  readonly from: string;
  readonly to: string;
}

/**
 * From now on everything is sealed by another key, and what the earlier one has sealed is sealed again.
 * Answers what holds: another rotation may be under way, or this one may have ended.
 */
export const beginSecretRotation: Rule<BeginSecretRotationAct, SecretKeyMark | "moving"> = {
  needs: () => ({ service: true }),
  decide: ({ from, to }, rows) => {
    const service = rows.service();
    if (service.move !== undefined) return { changes: [], answer: "moving" };
    const { secretKey = { keyId: from } } = service;
    if (secretKey.previousId !== undefined || secretKey.keyId !== from) {
      return { changes: [], answer: secretKey };
    }
    return marked(service, { keyId: to, previousId: from });
  },
};

export interface ResealSigningKeysAct {
  readonly rule: "reseal-signing-keys";
  readonly accountId: string;
  readonly before: SigningKeys;
  /** The same keys, sealed by the secret key in use. */
  readonly after: SigningKeys;
}

/** "changed" when the account has got other keys meanwhile, which are then read again. */
export const resealSigningKeys: Rule<ResealSigningKeysAct, "resealed" | "changed" | "gone"> = {
  needs: ({ accountId }) => ({ accounts: [accountId] }),
  decide: ({ accountId, before, after }, rows) => {
    const account = rows.account(accountId);
    if (account === null) return { changes: [], answer: "gone" };
    const { current, next } = account.signingKeys;
    if (current !== before.current || next !== before.next) {
      return { changes: [], answer: "changed" };
    }
    const resealed = { ...account, signingKeys: after };
    return { changes: [{ type: "account.changed", account: resealed }], answer: "resealed" };
  },
};

export interface EndSecretRotationAct {
  readonly rule: "end-secret-rotation";
  readonly keyId: string;
}

/** Nothing is left that the earlier key has sealed. Answers what holds. */
export const endSecretRotation: Rule<EndSecretRotationAct, SecretKeyMark | null> = {
  needs: () => ({ service: true }),
  decide: ({ keyId }, rows) => {
    const service = rows.service();
    const { secretKey } = service;
    return secretKey?.keyId === keyId && secretKey.previousId !== undefined
      ? marked(service, { keyId })
      : { changes: [], answer: secretKey ?? null };
  },
};

function marked(service: ServiceRecord, secretKey: SecretKeyMark) {
  const changed = { type: "service.changed", service: { ...service, secretKey } } as const;
  return { changes: [changed], answer: secretKey };
}
