import type { AccountRecord } from "../../core/model/account/account.ts";
import { refusal } from "../headers/header-value.ts";
import { isJsonObject, readJson, requireMembers } from "../json/json.ts";
import type { Json } from "../message/message.ts";

/** The credentials of a sign-in: a token, or a name and a password. */
export type SignIn =
  { readonly token: string } | { readonly user: string; readonly password: string };

export function readSignIn(body: Uint8Array): SignIn {
  const fields = readJson(body, SIGN_IN_BYTES_MAX);
  if (!isJsonObject(fields)) throw refusal("body: is not a JSON object");
  requireMembers(fields, ["token", "name", "password"], "body");
  const { token, name, password } = fields;
  if (token !== undefined) {
    if (name !== undefined || password !== undefined) {
      throw refusal("token: is given together with a name or a password");
    }
    return { token: parseText(token, "token") };
  }
  return { user: parseText(name, "name"), password: parseText(password, "password") };
}

function parseText(value: unknown, field: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw refusal(`${field}: must be a text that is not empty`);
}

type ShownSession =
  | {
      readonly kind: "account";
      readonly access: { readonly account: AccountRecord; readonly isReadOnly: boolean };
    }
  | { readonly kind: "operator"; readonly user: string };

export function sessionJson(
  session: ShownSession,
  { version, isDev }: { readonly version: string; readonly isDev: boolean },
): Json {
  const isOperator = session.kind === "operator";
  return {
    kind: session.kind,
    accountId: isOperator ? null : session.access.account.accountId,
    name: isOperator ? session.user : session.access.account.customerId,
    scope: !isOperator && session.access.isReadOnly ? "read-only" : "full",
    isDev,
    version,
  };
}

export const SIGN_IN_BYTES_MAX = 8 * 1024;
