import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

import { Problem } from "../../../core/problem.ts";
import { SESSION_MS, type OpenSession } from "../../../operations/account/sessions.ts";
import type { Access } from "../../../operations/account/accounts.ts";
import { SESSION_COOKIE } from "../../../wire/account/session.ts";
import { requireAccess } from "./authenticate.ts";
import type { AccountRoute, Api } from "../server/call.ts";

type SessionApi = Pick<Api, "sessions" | "publicUrl">;

/**
 * The sessions in a request's cookies, encrypted. A page of another port or subdomain can add a
 * cookie of the same name, and the browser does not tell which is ours.
 */
export function sessionsIn(
  api: Pick<Api, "publicUrl">,
  request: IncomingMessage,
): readonly string[] {
  const { cookie } = request.headers;
  if (cookie === undefined) return [];
  const wanted = isSecure(api, request) ? SECURE_COOKIES : PLAIN_COOKIES;
  const found = new Set<string>();
  for (const [, value = ""] of cookie.matchAll(wanted)) {
    if (value.length <= CHARACTERS_MAX) found.add(value);
  }
  if (found.size > SESSIONS_MAX) throw tooManySessions();
  return [...found];
}

/** The one of them that is a session of this service; null for none. */
export async function findSession(
  { sessions }: SessionApi,
  sealed: readonly string[],
): Promise<OpenSession | null> {
  const opened = await Promise.all(sealed.map((one) => sessions.open(one)));
  const [session, other] = opened.filter((one) => one !== null);
  if (other !== undefined) throw tooManySessions();
  return session ?? null;
}

/** Identifies the person whose browser sent the cookie. */
export async function openSession(
  api: SessionApi,
  sealed: readonly string[],
  request: IncomingMessage,
  changes: boolean,
): Promise<OpenSession> {
  requireOwnPage(api, request, changes);
  const session = await findSession(api, sealed);
  if (session !== null) return session;
  throw new Problem(
    "unauthorized",
    "unable to authenticate: the session has ended; sign in again, or send Authorization: Bearer <token>",
  );
}

/** The account of a person's session; the operator has none. */
export async function accountInSession(
  api: SessionApi,
  sealed: readonly string[],
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
      ? isOwnOrigin(headers, publicUrl(request), changes)
      : site === "same-origin" || (site === "none" && !changes);
  if (!isOwn) throw new Problem("forbidden", "only a page of this service may use its session");
}

/**
 * Without TLS a browser names only the origin, and that only with a change. A proxy may have put
 * another host into the request than the one that the browser opened. Ports are compared, and under
 * the public URL the scheme, since http and https are two ports.
 */
function isOwnOrigin(
  { origin, host }: IncomingHttpHeaders,
  known: ReturnType<Api["publicUrl"]>,
  changes: boolean,
): boolean {
  if (origin === undefined) return !changes;
  const page = URL.parse(origin);
  if (page === null) return false;
  if (page.host === hostOf(known.host)) return known.proto === "http" || page.protocol === "https:";
  return page.host === hostOf(host);
}

/** As a browser writes it: without the port of http. */
function hostOf(host: string | undefined): string | undefined {
  return URL.parse(`http://${host}`)?.host;
}

/** A page of another site cannot send this type without a preflight request. */
export function requireJsonType(contentType: string): void {
  if (/^application\/json\s*(;|$)/i.test(contentType)) return;
  throw new Problem("invalid-request", "Content-Type: must be application/json");
}

/** The headers that give a browser its session, and take it away when there is none. */
export function sessionHeaders(
  api: Pick<Api, "publicUrl">,
  request: IncomingMessage,
  sealed: string | null,
): readonly string[] {
  const isOverTls = isSecure(api, request);
  const maxAgeSeconds = sealed === null ? 0 : SESSION_MS / 1_000;
  const secure = isOverTls ? "; Secure" : "";
  const cookie = `${cookieName(isOverTls)}=${sealed ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
  return ["Set-Cookie", cookie];
}

/** With this prefix a browser takes the cookie from the same host over TLS only. */
function cookieName(isOverTls: boolean): string {
  return isOverTls ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;
}

function isSecure({ publicUrl }: Pick<Api, "publicUrl">, request: IncomingMessage): boolean {
  return publicUrl(request).proto === "https";
}

function tooManySessions(): Problem {
  return new Problem(
    "forbidden",
    "the browser sends more than one session, and another page may have set one of them; remove the cookies of this host and sign in again",
  );
}

/** The cookies of a name: the others, which may be very many, are passed by. */
function cookiesNamed(name: string): RegExp {
  return new RegExp(`(?:^|;)[\\t ]*${name}=([^;=\\s]*)`, "g");
}

const SECURE_COOKIES = cookiesNamed(cookieName(true));
const PLAIN_COOKIES = cookiesNamed(cookieName(false));
const CHARACTERS_MAX = 2_048;
/** Each of them is opened. */
const SESSIONS_MAX = 4;
