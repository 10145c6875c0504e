import type { AccountRecord, SecretKeyMark } from "../../core/model/account/account.ts";
import { OTHER_KEY } from "../../core/rules/account/secret-key.ts";
import type { SecretBox } from "../../platform/secret-box.ts";
import type { Store } from "../../store/store.ts";

interface SealingParts {
  readonly store: Store;
  readonly secretBox: SecretBox;
}

/** A wrong secret key must stop the start, not the first delivery. */
export async function requireSecretKey({ store, secretBox }: SealingParts): Promise<void> {
  const [{ secretKey }, [first]] = await Promise.all([
    store.reader.service.get(),
    store.reader.accounts.list("", 1),
  ]);
  if (secretKey !== undefined) followSecretKey(secretBox, secretKey);
  if (first === undefined) return;
  const keyId = requireOpens(secretBox, first);
  if (secretKey === undefined) secretBox.use(keyId);
}

/** Returns the id of the key that opens the signing keys of an account. */
export function requireOpens(
  secretBox: SecretBox,
  { accountId, signingKeys }: AccountRecord,
): string {
  const keyId = secretBox.keyIdOf(signingKeys.current, accountId);
  if (keyId !== null) return keyId;
  throw new Error(
    "the secret key does not decrypt the stored keys; give the one that they were encrypted with (--secret-key, or secret.key in the data folder)",
  );
}

/** Seals with the key that the store names. Throws a sentence when a key is missing that it needs. */
export function followSecretKey(
  secretBox: SecretBox,
  { keyId, previousId = keyId }: SecretKeyMark,
): void {
  const { keyIds } = secretBox;
  const given = keyIds.join(" and ");
  if (!keyIds.includes(keyId)) {
    throw new Error(
      `the secret key does not decrypt the stored keys: they need the one with the id ${keyId}, and this is ${given}; give it with --secret-key, or as secret.key in the data folder`,
    );
  }
  if (!keyIds.includes(previousId)) {
    throw new Error(
      `the secret key is being rotated, and the one before is needed too: give that with the id ${previousId} as --previous-secret-key until postrider secret rotate has ended`,
    );
  }
  secretBox.use(keyId);
}

/**
 * Carries out an act that stores what was sealed by the key in use, whose id it is given. It is called
 * again when the store has named another key by then.
 */
export async function storeSealed<Answer>(
  { store, secretBox }: SealingParts,
  act: (keyId: string) => Promise<Answer>,
): Promise<Exclude<Answer, typeof OTHER_KEY>> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const answer = await act(secretBox.keyId);
    if (answer !== OTHER_KEY) return answer as Exclude<Answer, typeof OTHER_KEY>;
    const { secretKey } = await store.reader.service.get();
    if (secretKey !== undefined) followSecretKey(secretBox, secretKey);
  }
  throw new Error("the store names another secret key each time");
}

const TRIES_MAX = 10;
