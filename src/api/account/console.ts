import type { IncomingMessage } from "node:http";
import { Problem } from "../../core/problem.ts";
import { readBasicCredentials } from "../../wire/headers/basic-credentials.ts";
import type { Answer } from "../http/answer.ts";
import type { Api, Call, ConsoleRoute } from "../http/call.ts";
import { problemAnswer } from "../http/problem-answer.ts";

/**
 * A call to the console: the caller is authenticated first, and the response must not be cached.
 */
export async function answerConsole(
  api: Api,
  route: ConsoleRoute,
  call: Call,
  authorization: string | undefined,
): Promise<Answer> {
  const answer = await answerOrRefuse(api, route, call, authorization);
  const headers = answer.status === 401 ? CHALLENGE : (answer.headers ?? []);
  return { ...answer, headers: [...headers, "Cache-Control", "no-store"] };
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
    const credentials = readBasicCredentials(authorization);
    if (credentials === null) {
      const reason = authorization === undefined ? "the Authorization header is missing; " : "";
      throw new Problem(
        "unauthorized",
        `unable to authenticate: ${reason}the console needs Basic auth`,
      );
    }
    const access = await api.logins.signIn(credentials, api.callerIp(request));
    if (route.needs === "operator" && access.kind !== "operator") {
      throw new Problem("forbidden", "only the operator may do this");
    }
    return await route.handler(api, { ...call, access });
  } catch (error) {
    return problemAnswer(error, api.ids, api.log);
  }
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
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem("invalid-request", "Content-Type: must be application/json");
  }
}

const OWN_SITES: readonly string[] = ["same-origin", "none"];
const CHALLENGE = ["WWW-Authenticate", 'Basic realm="postrider", charset="UTF-8"'];
