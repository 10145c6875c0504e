import type { IncomingMessage } from "node:http";
import { Problem } from "../../core/problem.ts";
import type { ConsoleAccess } from "../../operations/account/logins.ts";
import { readBasicCredentials } from "../../wire/account/session.ts";
import { requireNoOthers } from "../../wire/filters/filter-parameters.ts";
import type { Answer } from "../http/answers/answer.ts";
import type { Api, Call, ConsoleRoute } from "../http/server/call.ts";
import { openSession, requireJsonType, sessionsIn } from "../http/callers/session-cookie.ts";
import { refusalAnswer } from "../http/answers/problem-answer.ts";

/** A call to the console: the caller is authenticated first. */
export async function answerConsole(
  api: Api,
  route: ConsoleRoute,
  call: Call,
  authorization: string | undefined,
): Promise<Answer> {
  const answer = await answerOrRefuse(api, route, call, authorization);
  const isChallenged = answer.status === 401 && !isScript(call.request);
  return isChallenged ? { ...answer, headers: CHALLENGE } : answer;
}

async function answerOrRefuse(
  api: Api,
  route: ConsoleRoute,
  call: Call,
  authorization: string | undefined,
): Promise<Answer> {
  try {
    const { request } = call;
    if (route.method !== "GET") requireOwnSite(request);
    const access = await signIn(api, route, request, authorization);
    if (route.needs === "operator" && access.kind !== "operator") {
      throw onlyOperator();
    }
    // A change refuses what it would ignore, most of all a dry run.
    if (route.method !== "GET" && route.query === undefined) requireNoOthers(call.query);
    return await route.handler(api, { ...call, access });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refusalAnswer(error);
  }
}

/** By Basic credentials; a browser without them may have the operator's session. */
async function signIn(
  api: Api,
  route: ConsoleRoute,
  request: IncomingMessage,
  authorization: string | undefined,
): Promise<ConsoleAccess> {
  const credentials = readBasicCredentials(authorization);
  if (credentials !== null) return api.logins.signIn(credentials, api.callerIp(request));
  const sealed = authorization === undefined ? sessionsIn(api, request) : [];
  if (sealed.length > 0) {
    const { access } = await openSession(api, sealed, request, route.method !== "GET");
    if (access.kind === "operator") return access;
    throw onlyOperator();
  }
  const reason = authorization === undefined ? "the Authorization header is missing; " : "";
  throw new Problem(
    "unauthorized",
    `unable to authenticate: ${reason}the console needs Basic auth`,
  );
}

function onlyOperator(): Problem {
  return new Problem("forbidden", "only the operator may do this");
}

/**
 * A browser adds Basic credentials by itself, so any page could post in its user's name. Pages of
 * other sites cannot hide their origin, nor send JSON without a preflight request.
 */
function requireOwnSite({ headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  const isForeign = site === undefined ? headers.origin !== undefined : !OWN_SITES.includes(site);
  if (isForeign) throw new Problem("forbidden", "a page of another site may not do this");
  const type = headers["content-type"];
  if (type !== undefined) requireJsonType(type);
}

/** The browser would ask for a password over the dashboard, whose session has ended. */
function isScript({ headers }: IncomingMessage): boolean {
  return headers["sec-fetch-dest"] === "empty";
}

const OWN_SITES: readonly string[] = ["same-origin", "none"];
const CHALLENGE = ["WWW-Authenticate", 'Basic realm="postrider", charset="UTF-8"'];
