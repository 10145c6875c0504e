import type { IncomingMessage } from "node:http";

import { Problem } from "../../core/problem.ts";
import { SESSION_MS, type OpenSession } from "../../operations/account/sessions.ts";
import type { Access } from "../../operations/account/accounts.ts";
import { SESSION_COOKIE } from "../../wire/account/session.ts";
import { requireAccess } from "./authenticate.ts";
import type { AccountRoute, Api } from "./call.ts";

/** The session in a request's cookie, encrypted; null for none. */
export function sessionIn({ headers }: IncomingMessage): string | null {
  for (const pair of headers.cookie?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === SESSION_COOKIE && value !== undefined && value.length <= CHARACTERS_MAX)
      return value;
  }
  return null;
}

type SessionApi = Pick<Api, "sessions" | "publicUrl">;

/** Identifies the person whose browser sent the cookie. */
export async function openSession(
  api: SessionApi,
  sealed: string,
  request: IncomingMessage,
  changes: boolean,
): Promise<OpenSession> {
  requireOwnPage(api, request, changes);
  const session = await api.sessions.open(sealed);
  if (session !== null) return session;
  throw new Problem(
    "unauthorized",
    "unable to authenticate: the session has ended; sign in again, or send Authorization: Bearer <token>",
  );
}

/** The account of a person's session; the operator has none. */
export async function accountInSession(
  api: SessionApi,
  sealed: string,
  request: IncomingMessage,
  { method, needs }: Pick<AccountRoute, "method" | "needs">,
): Promise<Access> {
  const changes = needs !== "read" && method !== "GET";
  const { access } = await openSession(api, sealed, request, changes);
  if (access.kind === "account") return requireAccess(access.access, needs);
  throw new Problem(
    "forbidden",
    "the operator's session opens the console only; for what is inside of an account, sign in with a token of it",
  );
}

/**
 * A browser adds the cookie by itself, and takes every port of a host for one site. So what a page
 * of another origin asks for is refused, and a change needs the browser's word that it is our page.
 */
export function requireOwnPage(
  { publicUrl }: Pick<Api, "publicUrl">,
  request: IncomingMessage,
  changes: boolean,
): void {
  const { headers } = request;
  const site = headers["sec-fetch-site"];
  const isOwn =
    site === undefined
      ? isOwnOrigin(headers.origin, [headers.host, publicUrl(request).host], changes)
      : site === "same-origin" || (site === "none" && !changes);
  if (!isOwn) throw new Problem("forbidden", "only a page of this service may use its session");
}

/**
 * Without TLS a browser names only the origin, and that only with a change. A proxy may have put
 * another host into the request than the one that the browser opened.
 */
function isOwnOrigin(
  origin: string | undefined,
  hosts: readonly (string | undefined)[],
  changes: boolean,
): boolean {
  if (origin === undefined) return !changes;
  const host = URL.parse(origin)?.host;
  return host !== undefined && hosts.some((own) => URL.parse(`http://${own}`)?.host === host);
}

/** The headers that give a browser its session, and take it away when there is none. */
export function sessionHeaders(sealed: string | null, isSecure: boolean): readonly string[] {
  const maxAgeSeconds = sealed === null ? 0 : SESSION_MS / 1_000;
  const secure = isSecure ? "; Secure" : "";
  const cookie = `${SESSION_COOKIE}=${sealed ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
  return ["Set-Cookie", cookie, "Cache-Control", "no-store"];
}

const CHARACTERS_MAX = 2_048;
