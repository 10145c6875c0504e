import { hashPassword } from "../platform/password.ts";
import type { AccountsOptions } from "./accounts.ts";
import type { Credentials } from "./logins.ts";

/** Names the operator of a new service; null when there is one already, who is not shown again. */
export async function addFirstOperator(
  { store, ids }: AccountsOptions,
  user: string,
): Promise<Credentials | null> {
  const { operator } = await store.reader.service();
  if (operator !== null) return null;
  const password = ids.secret(PASSWORD_CHARACTERS);
  const passwordHash = await hashPassword(password, ids);
  const answer = await store.act({ rule: "set-operator", operator: { user, passwordHash } });
  return answer === "set" ? { user, password } : null;
}

const PASSWORD_CHARACTERS = 24;
