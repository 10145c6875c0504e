import type { IncomingMessage } from "node:http";

import { Problem } from "../../core/problem.ts";
import type { ConsoleAccess, Credentials } from "../../operations/account/logins.ts";
import { ownerOf, type SessionAccess } from "../../operations/account/sessions.ts";
import {
  readSignIn,
  SESSION,
  sessionJson,
  SIGN_IN,
  SIGN_IN_BYTES_MAX,
} from "../../wire/account/session.ts";
import { NOTHING } from "../../wire/json/schema.ts";
import { PROBLEM } from "../../wire/problem-schema.ts";
import { type Answer, json } from "../http/answers/answer.ts";
import { authenticate } from "../http/callers/authenticate.ts";
import type { AdmittedHandler, Api, Route, UnreadCall } from "../http/server/call.ts";
import {
  findSession,
  requireJsonType,
  requireOwnPage,
  sessionHeaders,
  sessionsIn,
} from "../http/callers/session-cookie.ts";

/** Who is signed in. In dev that is dev's account, unless another one signed in. */
async function showSession(api: Api, { request }: UnreadCall): Promise<Answer> {
  requireOwnPage(api, request, false);
  const session = await findSession(api, sessionsIn(api, request));
  if (session !== null && isAdmitted(api, session.access)) {
    return signedIn(api, request, session.access, session.isOld ? session.renew() : null);
  }
  const account = api.openAccountId === null ? null : await api.accounts.record(api.openAccountId);
  if (account === null) throw new Problem("unauthorized", "unable to authenticate: not signed in");
  const access: SessionAccess = { kind: "account", access: ownerOf(account) };
  return signedIn(api, request, access, api.sessions.ofAccount(account));
}

/** The body is read only from our own page, so that no other page can sign a person in. */
function admitSignIn(api: Api, { request }: UnreadCall): AdmittedHandler {
  requireOwnPage(api, request, true);
  requireJsonType(request.headers["content-type"] ?? "");
  return async (body) => {
    const given = readSignIn(await body.read(SIGN_IN_BYTES_MAX));
    if ("token" in given) {
      const access = await authenticate(api, given.token, "read", request);
      const sealed = api.sessions.ofToken(given.token, access);
      return signedIn(api, request, { kind: "account", access }, sealed);
    }
    const login = await signInByName(api, given, api.callerIp(request));
    const access: SessionAccess =
      login.kind === "operator" ? login : { kind: "account", access: ownerOf(login.account) };
    return signedIn(api, request, access, await api.sessions.ofLogin(login));
  };
}

async function signInByName(
  { logins, admitsOperator }: Api,
  given: Credentials,
  source: string,
): Promise<ConsoleAccess> {
  try {
    return await logins.signIn(given, source, admitsOperator);
  } catch (error) {
    if (admitsOperator || !(error instanceof Problem) || error.kind !== "unauthorized") throw error;
    // Whatever the name was, so that it does not tell the operator's.
    throw new Problem(error.kind, `${error.message}; the operator signs in at the console port`);
  }
}

/** The browser forgets its session. */
export function signOut(api: Api, { request }: UnreadCall): Answer {
  requireOwnPage(api, request, true);
  return { ...json(200, {}), headers: sessionHeaders(api, request, null) };
}

function signedIn(
  api: Api,
  request: IncomingMessage,
  access: SessionAccess,
  sealed: string | null,
): Answer {
  const { version, openAccountId } = api;
  const answer = json(200, sessionJson(access, { version, isDev: openAccountId !== null }));
  return sealed === null ? answer : { ...answer, headers: sessionHeaders(api, request, sealed) };
}

/** Where the console has a port of its own, the operator signs in there alone. */
function isAdmitted({ admitsOperator }: Api, { kind }: SessionAccess): boolean {
  return kind === "account" || admitsOperator;
}

export const SESSION_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/session",
    title: "Get the session",
    answers: { 200: SESSION, 401: PROBLEM },
    needs: "open",
    handler: showSession,
    says: "Shows who is signed in by the cookie of the dashboard: `kind` (`account` or `operator`), `accountId`, `scope`. In dev it signs in by itself.",
  },
  {
    method: "POST",
    path: "/v2/session",
    title: "Sign in",
    body: SIGN_IN,
    answers: { 200: SESSION, 401: PROBLEM },
    needs: "open",
    admit: admitSignIn,
    says: 'Signs in with `{"token": "..."}`, or with the `name` and `password` of the console, and sets a cookie for a day. The cookie is taken where a token is; changes with it need a page of the same origin.',
  },
  {
    method: "DELETE",
    path: "/v2/session",
    title: "Sign out",
    answers: { 200: NOTHING },
    needs: "open",
    handler: signOut,
    says: "Signs out: removes the cookie.",
  },
];
