import type { AccountRecord } from "../../core/model/account/account.ts";
import { refusal } from "../headers/header-value.ts";
import { readMembers } from "../json/json.ts";
import { inlineObject, choice, flag, object, orNull, text, type TypeOf } from "../json/schema.ts";

/** The credentials of a sign-in: a token, or a name and a password. */
export type SignIn =
  | { readonly token: string }
  | { readonly user: string; readonly password: string };

export function readSignIn(body: Uint8Array): SignIn {
  const known = ["token", "name", "password"];
  const { token, name, password } = readMembers(body, SIGN_IN_BYTES_MAX, known);
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
      readonly access: {
        readonly account: AccountRecord;
        readonly isReadOnly: boolean;
        readonly isOwner: boolean;
      };
    }
  | { readonly kind: "operator"; readonly user: string };

export function sessionJson(
  session: ShownSession,
  { version, isDev }: { readonly version: string; readonly isDev: boolean },
): TypeOf<typeof SESSION> {
  const isOperator = session.kind === "operator";
  return {
    kind: session.kind,
    accountId: isOperator ? null : session.access.account.accountId,
    name: isOperator ? session.user : session.access.account.customerId,
    scope: !isOperator && session.access.isReadOnly ? "read-only" : "full",
    isOwner: !isOperator && session.access.isOwner,
    isDev,
    version,
  };
}

/** The name of the cookie. */
export const SESSION_COOKIE = "postrider_session";
export const SIGN_IN_BYTES_MAX = 8 * 1024;

export const SESSION = object("Session", {
  kind: choice(["account", "operator"]),
  accountId: orNull(text("Null for the operator.", "acc_01JGFJJZ00")),
  name: text("The owner of the account, or the operator.", "team@example.com"),
  scope: choice(["full", "read-only"], "What the session may do."),
  isOwner: flag(
    "Signed in with the main token or the password: may manage tokens and signing keys.",
    true,
  ),
  isDev: flag("The server runs as `dev`.", false),
  version: text("The version of Postrider.", "0.1.0"),
});
export const SIGN_IN = inlineObject(
  {},
  {
    token: text("A token of the account.", "..."),
    name: text("In place of a token: a name of the console."),
    password: text("Its password."),
  },
);
