import type { IncomingMessage } from "node:http";
import { DIALECTS } from "../../../core/model/message/dialect.ts";
import { Problem } from "../../../core/problem.ts";
import { addressGroup } from "../../../core/policy/egress/address.ts";
import type { Access } from "../../../operations/account/accounts.ts";
import type { AccountNeeds, Api } from "../server/call.ts";
import { decodeQueryText, readQuery } from "../../../wire/filters/filter-parameters.ts";

/** The token of a request: from its Authorization header, else from its query; null for none. */
export function tokenOf(
  authorization: string | undefined,
  query: string,
  takesTokenInQuery: boolean,
): string | null {
  if (authorization === undefined) {
    const token = tokenInQuery(query);
    if (token !== null && !takesTokenInQuery) throw notInQuery();
    return token;
  }
  const isBearer = authorization.slice(0, SCHEME.length).toLowerCase() === SCHEME;
  return isBearer ? authorization.slice(SCHEME.length).trim() : null;
}

/** Identifies the caller, and refuses a caller without access. */
export function authenticate(
  api: Authenticating,
  token: string | null,
  needs: AccountNeeds,
  request: IncomingMessage,
): Access | Promise<Access> {
  const isToken = token !== null && token !== "" && token.length <= TOKEN_CHARACTERS_MAX;
  const access = isToken ? api.accounts.access(token) : null;
  const judge = (found: Access | null): Access => {
    if (found !== null) return requireAccess(found, needs);
    // A right token is never refused for wrong ones from the same address.
    api.failedTokens.spend(addressGroup(api.callerIp(request)));
    throw new Problem("unauthorized", `unable to authenticate: ${reasonOf(request, token)}`);
  };
  return access instanceof Promise ? access.then(judge) : judge(access);
}

/** The advice differs between a missing token and an unknown one. */
function reasonOf({ headers }: IncomingMessage, token: string | null): string {
  if (token !== null && token !== "") return "invalid token";
  return headers.authorization === undefined
    ? "the Authorization header is missing; send Authorization: Bearer <token>"
    : "the Authorization header is not Bearer <token>";
}

export type Authenticating = Pick<Api, "accounts" | "failedTokens" | "callerIp">;

/** The query without the token, which is not a filter. */
export function withoutToken(query: string): string {
  if (!query.includes("_token")) return query;
  const parts = query.split("&").filter((part) => !TOKEN_NAMES.has(nameOf(part)));
  return parts.join("&");
}

/** Refuses what the access does not allow. */
export function requireAccess(access: Access, needs: AccountNeeds): Access {
  if (access.account.isSuspended) {
    throw new Problem("forbidden", "this account is suspended; ask the operator of the service");
  }
  if (needs === "owner" && !access.isOwner) throw notOwner();
  if (needs === "write" && access.isReadOnly) {
    throw new Problem("forbidden", "a read-only token may not do this; use one with full access");
  }
  return access;
}

function notOwner(): Problem {
  return new Problem(
    "forbidden",
    "tokens and signing keys need the main token of the account, or a sign-in with its name and password; no other token may do this",
  );
}

function notInQuery(): Problem {
  const sentence = "dev accepts no token from the query; send it as Authorization: Bearer <token>";
  return new Problem("unauthorized", `unable to authenticate: ${sentence}`);
}

function tokenInQuery(query: string): string | null {
  if (!query.includes("_token")) return null;
  const found = readQuery(query).filter(({ name }) => TOKEN_NAMES.has(name));
  if (found.length > 1) throw new Problem("invalid-request", "the token is given twice");
  const [token] = found;
  // In base64 a plus is a plus, even where a form would mean a blank.
  return token === undefined
    ? null
    : decodeQueryText(token.rawValue.replaceAll("+", "%2B"), token.name);
}

function nameOf(part: string): string {
  const equalsAt = part.indexOf("=");
  return equalsAt < 0 ? part : part.slice(0, equalsAt);
}

const SCHEME = "bearer ";
const TOKEN_NAMES: ReadonlySet<string> = new Set(
  Object.values(DIALECTS).map(({ tokenParameter }) => tokenParameter),
);
const TOKEN_CHARACTERS_MAX = 1_024;
