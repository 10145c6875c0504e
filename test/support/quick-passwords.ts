/**
 * To derive a key of a password takes a tenth of a second of processor time on purpose. The services in this process do
 * with less: `src/platform/password.test.ts` shows what it costs, and no journey is about it.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const QUICK_COST = 2 ** 4;
let isQuick = false;

/** From here on; a hash that was made before, or by another process, no longer matches its password. */
export function makePasswordsQuick(): void {
  if (isQuick) return;
  isQuick = true;
  const { scrypt } = crypto;
  const quickly: typeof scrypt = (...given: unknown[]) => {
    const [password, salt, bytes, options, done] = given;
    Reflect.apply(scrypt, crypto, [
      password,
      salt,
      bytes,
      { ...(options as object), N: QUICK_COST },
      done,
    ]);
  };
  crypto.scrypt = Object.assign(quickly, scrypt);
  syncBuiltinESMExports();
}
