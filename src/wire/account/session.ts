import type { AccountRecord } from "../../core/model/account/account.ts";
import { invalidRequest } from "../headers/header-value.ts";
import { bodyReader } from "../json/schema-reader.ts";
import {
  closedObject,
  choice,
  flag,
  object,
  orNull,
  text,
  type TypeOf,
  refusedAs,
  withKeywords,
} from "../json/schema.ts";
import { textOf } from "../message/body.ts";

/** The credentials of a sign-in: a token, or a name and a password. */
export type SignIn =
  | { readonly token: string }
  | { readonly user: string; readonly password: string };

export function readSignIn(body: Uint8Array): SignIn {
  const { token, name, password } = readBody(body);
  if (token === undefined) {
    return { user: needed(name, "name"), password: needed(password, "password") };
  }
  if (name === undefined && password === undefined) return { token };
  throw invalidRequest("token: is given together with a name or a password");
}

function needed(value: string | undefined, field: string): string {
  if (value !== undefined) return value;
  throw invalidRequest(`${field}: ${NOT_EMPTY}`);
}

/** The credentials of a Basic Authorization header; null for any other header. */
export function readBasicCredentials(
  authorization: string | undefined,
): { readonly user: string; readonly password: string } | null {
  if (authorization === undefined || authorization.length > BASIC_CHARACTERS_MAX) return null;
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, "base64");
  if (unpadded(bytes.toString("base64")) !== unpadded(encoded)) return null;
  const given = textOf(bytes);
  if (given === null) return null;
  const colonAt = given.indexOf(":");
  if (colonAt < 1) return null;
  return { user: given.slice(0, colonAt), password: given.slice(colonAt + 1) };
}

const unpadded = (encoded: string): string => encoded.replace(/=+$/, "");

const BASIC_CHARACTERS_MAX = 2_048;

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
const NOT_EMPTY = "must be a text that is not empty";

export const SIGN_IN = closedObject(
  {},
  {
    token: credential("A token of the account.", "..."),
    name: credential("In place of a token: a name of the console."),
    password: credential("Its password."),
  },
);
const readBody = bodyReader(SIGN_IN, SIGN_IN_BYTES_MAX);

function credential(description: string, ...examples: readonly string[]) {
  return refusedAs(NOT_EMPTY, withKeywords(text(description, ...examples), { minLength: 1 }));
}
