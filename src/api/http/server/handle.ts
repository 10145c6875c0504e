import type { IncomingMessage, ServerResponse } from "node:http";
import { addressGroup } from "../../../core/policy/egress/address.ts";
import { Problem } from "../../../core/problem.ts";
import { endsWithin } from "../../../platform/ends-within.ts";
import { weightOf } from "../../../platform/fair-turns.ts";
import type { Access } from "../../../operations/account/accounts.ts";
import { takeTurn } from "../../../operations/context.ts";
import { requireNoOthers } from "../../../wire/filters/filter-parameters.ts";
import type { Answer } from "../answers/answer.ts";
import { AnswerRoom } from "../limits/answer-budget.ts";
import { authenticate, tokenOf, withoutToken } from "../callers/authenticate.ts";
import { Body, CallerGone } from "./body.ts";
import type { AccountCall, AccountRoute, Api, ConsoleRoute, Route } from "./call.ts";
import { REQUESTS_AT_ONCE_MAX } from "./connection.ts";
import { answerConsole } from "../../account/console.ts";
import { withHooksHidden } from "../answers/hidden-hooks.ts";
import { answerList } from "../limits/list-gate.ts";
import { problemAnswer, refusalAnswer } from "../answers/problem-answer.ts";
import { accountInSession, sessionsIn } from "../callers/session-cookie.ts";
import { readHead, type RequestHead } from "./request-head.ts";
import type { Router, RouteMatch } from "./router.ts";
import { UnreadRoom } from "../limits/unread-answers.ts";
import { writeAnswer, type WriteOptions } from "../answers/write-answer.ts";

/** One request, from its head to its response. Nothing else writes a response. */
export async function handle(
  api: Api,
  router: Router,
  request: IncomingMessage,
  response: ServerResponse,
  onStartOfBody: (() => void) | null,
): Promise<void> {
  let body: Body | null = null;
  let answer: Answer;
  try {
    response.once("close", api.connections.requested(request, api.callerIp));
    const head = readHead(request);
    body = new Body(request, head.bodyBytes, api, onStartOfBody);
    api.requireCaller(request);
    const match = router(request.method ?? "", request.url ?? "");
    answer =
      match.kind === "route"
        ? await answerRoute(api, request, head, match, body)
        : otherMethod(request, match.allow);
  } catch (error) {
    if (error instanceof CallerGone) return;
    if (error instanceof Problem) api.refusals.add(error.kind);
    answer = problemAnswer(error, api.ids, api.log);
  } finally {
    body?.release();
  }
  // After an unreadable head, the length of the body is unknown.
  const rest = body === null ? "arriving" : body.rest;
  await send(api, response, answer, {
    isLast: rest !== "none" || api.phase() === "leaving",
    unread: rest === "arriving" ? request : null,
    room: roomFor(api, request, body?.owner ?? ""),
  });
}

/** Refuses a request that came before the caller had read the answers to those before it. */
export async function refuseRequest(
  api: Api,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const problem = tooManyOnConnection();
  api.refusals.add(problem.kind);
  const options = { isLast: true, unread: null, room: roomFor(api, request, "") };
  await send(api, response, refusalAnswer(problem), options);
}

async function send(
  api: Api,
  response: ServerResponse,
  answer: Answer,
  options: Omit<WriteOptions, "clock">,
): Promise<void> {
  try {
    // The dashboard and the commands show times as of the server's.
    const { virtualClock } = api;
    if (virtualClock?.isAhead && !response.headersSent) {
      response.setHeader("Date", new Date(virtualClock.now()).toUTCString());
    }
    await writeAnswer(response, answer, { clock: api.clock, ...options });
  } catch (error) {
    api.log.error("an answer broke off", { error });
  } finally {
    options.room.release();
    answer.room?.release();
  }
}

function tooManyOnConnection(): Problem {
  const sentence = `more than ${REQUESTS_AT_ONCE_MAX} requests at once on one connection; read the answers first`;
  return new Problem("too-many-requests", sentence, 1);
}

/** The memory of an unread answer is that of the account, or of the address of the caller. */
function roomFor(api: Api, request: IncomingMessage, accountId: string): UnreadRoom {
  const owner = (): string =>
    accountId === "" ? `address ${addressGroup(api.callerIp(request))}` : accountId;
  return new UnreadRoom(api.unread, owner, request);
}

async function answerRoute(
  api: Api,
  request: IncomingMessage,
  { authorization, bodyBytes }: RequestHead,
  { route, rest, query, parameters }: Extract<RouteMatch, { kind: "route" }>,
  body: Body,
): Promise<Answer> {
  const id = parameters[0] ?? "";
  if (route.needs === "open") {
    const unread = { request, rest, query, id };
    if (route.admit === undefined) return route.handler(api, unread);
    requireChangeable(api, request);
    const answerAdmitted = await route.admit(api, unread);
    return answerAdmitted(body);
  }
  if (api.phase() === "starting") await waitForStart(api);
  requireChangeable(api, request);
  if (isConsoleRoute(route)) {
    return answerConsole(api, route, { request, body, rest, query, id }, authorization);
  }
  const identifyAgain = () => identify(api, request, route, authorization, query);
  const found = identifyAgain();
  const access = found instanceof Promise ? await found : found;
  const { account } = access;
  const { accountId } = account;
  if (route.publishes !== true) api.burstLimit.count(account);
  body.chargeTo(accountId, identifyAgain);
  const turn = takeTurn(api.context, accountId, weightOf(bodyBytes ?? UNDECLARED_BYTES));
  if (turn !== null) await turn;
  const call = {
    request,
    body,
    rest,
    query: withoutToken(query),
    id,
    access,
    account,
    accountId,
    identifyAgain,
  };
  if (changesOne(route)) requireNoOthers(call.query);
  const readsMuch = route.needs === "read" || route.lists === true;
  if (!readsMuch) return route.handler(api, call);
  const answer = await answerWithRoom(api, route, call);
  return access.isReadOnly ? withHooksHidden(answer) : answer;
}

/** While the data moves to another store, only reads are answered. */
function requireChangeable({ context }: Api, { method }: IncomingMessage): void {
  if (method === "GET" || method === "HEAD" || !context.isStandingStill()) return;
  throw new Problem("overloaded", "the data moves to another store; try again", 2);
}

/** Whether the query is neither read by the route nor part of a URL in its path. */
function changesOne({ needs, query, path }: AccountRoute): boolean {
  return needs !== "read" && query === undefined && !path.endsWith("...}");
}

/** The caller, by token; a browser without one may have a session. */
function identify(
  api: Api,
  request: IncomingMessage,
  route: AccountRoute,
  authorization: string | undefined,
  query: string,
): Access | Promise<Access> {
  const token = tokenOf(authorization, query, api.takesTokenInQuery);
  const sealed = token === null && authorization === undefined ? sessionsIn(api, request) : [];
  return sealed.length === 0
    ? authenticate(api, token, route.needs, request)
    : accountInSession(api, sealed, request, route);
}

/** Answers a request that reads or changes many rows within the memory for responses. */
async function answerWithRoom(api: Api, route: AccountRoute, call: AccountCall): Promise<Answer> {
  const room = new AnswerRoom(api.answerBudget, call.accountId, call.request);
  const withRoom = { ...api, context: { ...api.context, reserve: room.reserve } };
  try {
    const answer = await (route.lists === true
      ? answerList(withRoom, route, call)
      : route.handler(withRoom, call));
    return { ...answer, room };
  } catch (error) {
    room.release();
    throw error;
  }
}

function isConsoleRoute(route: Route): route is ConsoleRoute {
  return route.needs === "console" || route.needs === "operator";
}

/** The server listens a moment before it is ready; a balancer must not pass a refusal on for that. */
async function waitForStart({ clock, started }: Api): Promise<void> {
  if (await endsWithin(clock, START_MS_MAX, started)) return;
  throw new Problem("overloaded", "the service is starting; try again", 1);
}

function otherMethod({ method }: IncomingMessage, allow: string): Answer {
  const headers = ["Allow", allow];
  if (method === "OPTIONS") return { status: 204, body: "", headers };
  const refused = new Problem("method-not-allowed", `${method} is not allowed here, only ${allow}`);
  return { ...refusalAnswer(refused), headers };
}

const START_MS_MAX = 5_000;

/** What a body in chunks weighs, whose size is not known before it has come. */
const UNDECLARED_BYTES = 64 * 1024;
