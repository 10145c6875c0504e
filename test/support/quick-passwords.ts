/**
 * To derive a key of a password takes a tenth of a second of processor time on purpose. What runs in this process does
 * with less: `src/platform/password.test.ts` shows what it costs, and no journey is about it.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const QUICK_ROUNDS = 2 ** 4;
let isQuick = false;

type Given = Parameters<typeof crypto.scrypt>;

/** From here on; a hash that was made before, or by another process, no longer matches its password. */
export function makePasswordsQuick(): void {
  if (isQuick) return;
  isQuick = true;
  const { scrypt } = crypto;
  const quickly = (...[password, salt, bytes, options, done]: Given): void => {
    const rounds = Math.min(options.N ?? QUICK_ROUNDS, QUICK_ROUNDS);
    scrypt(password, salt, bytes, { ...options, N: rounds }, done);
  };
  crypto.scrypt = Object.assign(quickly as typeof scrypt, scrypt);
  syncBuiltinESMExports();
}
