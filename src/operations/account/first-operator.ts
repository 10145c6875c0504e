import type { Operator } from "../../core/model/account/service-record.ts";
import type { Ids } from "../../platform/ids.ts";
import { hashPassword } from "../../platform/password.ts";
import type { AccountsOptions } from "./accounts.ts";
import type { Credentials } from "./logins.ts";

/** A generated operator: the stored record, and the credentials that are shown once. */
export interface DrawnOperator {
  readonly record: Operator;
  readonly credentials: Credentials;
}

export async function drawOperator(user: string, ids: Ids): Promise<DrawnOperator> {
  const password = ids.secret(PASSWORD_CHARACTERS);
  const passwordHash = await hashPassword(password, ids);
  return { record: { user, passwordHash }, credentials: { user, password } };
}

/**
 * Adds an operator to a service that has none; null when there is one, whose password is not shown
 * again.
 */
export async function addOperator(
  { store, ids }: AccountsOptions,
  user: string,
): Promise<Credentials | null> {
  const { operator } = await store.reader.service.get();
  if (operator !== null) return null;
  const { record, credentials } = await drawOperator(user, ids);
  const answer = await store.act({ rule: "set-operator", operator: record });
  return answer === "set" ? credentials : null;
}

const PASSWORD_CHARACTERS = 24;
