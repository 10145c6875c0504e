/** The secret key: whether it decrypts what is stored, and whether a rotation has ended. */
import type { AccountRecord, SecretKeyMark } from "../../core/model/account/account.ts";
import { followSecretKey, requireOpens } from "../../operations/account/secret-key.ts";
import { createIds } from "../../platform/ids.ts";
import { createSecretBox } from "../../platform/secret-box.ts";
import type { Finding } from "./finding.ts";

const check = "secret key";

/** `keys` as the server would read them, the earlier one first. */
export function checkSecretKey(
  [first, ...others]: readonly string[],
  mark: SecretKeyMark | null,
  account: AccountRecord | null,
): Finding {
  if (first === undefined) {
    const advice = "the data needs it: restore secret.key, or set POSTRIDER_SECRET_KEY";
    return { check, state: "problem", says: "there is none", advice };
  }
  const box = createSecretBox(first, createIds(), others);
  try {
    if (mark !== null) followSecretKey(box, mark);
    if (account !== null) box.use(requireOpens(box, account));
  } catch (error) {
    const advice = "postrider verify names the key that a backup needs";
    return { check, state: "problem", says: (error as Error).message, advice };
  }
  const says = `the one with the id ${mark?.keyId ?? box.keyId} decrypts the stored keys`;
  if (mark?.previousId === undefined && others.length === 0) return { check, state: "ok", says };
  return {
    check,
    state: "warning",
    says: "there are two: a rotation has not begun, or has not ended",
    advice: "run postrider secret rotate; with keys from settings it then says which to remove",
  };
}
