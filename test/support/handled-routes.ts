import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { ManualClock } from "./manual-clock.ts";
import { parseNetwork } from "../../src/core/policy/egress/address.ts";
import { Problem } from "../../src/core/problem.ts";
import { createIds } from "../../src/platform/ids.ts";
import { type Answer, json } from "../../src/api/http/answers/answer.ts";
import { createAnswerBudget } from "../../src/api/http/limits/answer-budget.ts";
import { ConnectionLimit } from "../../src/api/http/limits/connection-limit.ts";
import { createListGate } from "../../src/api/http/limits/list-gate.ts";
import { RefusalCounts } from "../../src/api/http/answers/problem-answer.ts";
import { UnreadAnswers } from "../../src/api/http/limits/unread-answers.ts";
import { UploadWatch } from "../../src/api/http/limits/upload-watch.ts";
import { type Body, createBodyBudget } from "../../src/api/http/server/body.ts";
import type {
  AccountCall,
  Api,
  Call,
  Route,
  ServicePhase,
} from "../../src/api/http/server/call.ts";
import { ApiServer } from "../../src/api/http/server/server.ts";

const LOOPBACK = parseNetwork("127.0.0.0/8")!;
const ROWS = { says: "", title: "", answers: {} };
export const GOOD = "good token";
export const READER = "reading token";
/** The cookie of the session of another account. */
export const SEALED = "sealed";
const PERSON = { account: { accountId: "person" }, isReadOnly: false };
const SESSION = { access: { kind: "account", access: PERSON } };
export const HOOK = "http://host/v2/workflows/hooks/ann/wfr_1/evt_Ab3_-fghijKLMN9";

/** A server with a few routes, whose only account has one token. */
export async function startRoutes(t: TestContext, phase: ServicePhase = "ready") {
  const clock = new ManualClock();
  const started = Promise.withResolvers<void>();
  const refusals = new RefusalCounts();
  const logged: unknown[] = [];
  const bursts: string[] = [];
  const weights: number[] = [];
  /** Whether the turns of the next requests come. */
  const turns: Promise<boolean>[] = [];
  const move = { isStandingStill: false };
  const access = { account: { accountId: "account" }, isReadOnly: false };
  const reading = { ...access, isReadOnly: true };
  const [bodyBudget, answerBudget] = [createBodyBudget(clock), createAnswerBudget(clock)];
  const listGate = createListGate(clock);
  const { unread, owners } = watchedUnread();
  const tokens = new Map([
    [GOOD, access],
    [READER, reading],
  ]);
  const api = {
    clock,
    refusals,
    phase: () => phase,
    started: started.promise,
    ids: createIds(),
    log: { error: (event: string) => logged.push(event) },
    connections: new ConnectionLimit([LOOPBACK], { inAll: 100, ofAddress: 1 }),
    bodyBudget,
    answerBudget,
    listGate,
    uploads: new UploadWatch(clock),
    unread,
    callerIp: ({ headers }: IncomingMessage) => headers["x-from"] ?? "127.0.0.1",
    requireCaller: () => undefined,
    takesTokenInQuery: true,
    publicUrl: () => ({ proto: "http", host: "localhost" }),
    sessions: { open: (sealed: string) => Promise.resolve(sealed === SEALED ? SESSION : null) },
    failedTokens: { spend: () => undefined },
    accounts: { access: (token: string) => tokens.get(token) ?? null },
    burstLimit: { count: ({ accountId }: { accountId: string }) => bursts.push(accountId) },
    context: {
      isStandingStill: () => move.isStandingStill,
      turns: {
        enter: (_id: string, weight: number, isAnswered: boolean) => {
          weights.push(weight);
          return isAnswered ? (turns.shift() ?? null) : null;
        },
      },
    },
  } as unknown as Api;
  const server = new ApiServer(api, ROUTES);
  const port = await server.listen(0, "127.0.0.1", 1);
  t.after(() => server.close());
  const held = { bodyBudget, answerBudget, listGate, owners };
  return { clock, started, refusals, logged, bursts, weights, turns, move, tokens, port, held };
}

/** The unread answers, and the owners that were charged for one. */
function watchedUnread() {
  const owners: string[] = [];
  const unread = new UnreadAnswers();
  const hold = unread.hold.bind(unread);
  unread.hold = (owner, ...rest) => {
    owners.push(owner);
    return hold(owner, ...rest);
  };
  return { unread, owners };
}

function json200(body: Answer["body"]): Answer {
  return { status: 200, body };
}

async function takeBody(body: Body): Promise<Answer> {
  return json(200, { length: (await body.read(100)).length });
}

/** Reserves memory as a route does that reads many rows; refuses after that where the query says so. */
async function readMuch(
  { context, answerBudget, listGate }: Api,
  { query, accountId }: AccountCall,
): Promise<Answer> {
  await context.reserve?.(1_000);
  if (query === "refuse") refuse();
  return json(200, { accountId, held: answerBudget.held, lists: listGate.held, hook: HOOK });
}

function refuse(): never {
  throw new Problem("overloaded", "busy", 4);
}

/** Everything that the server says to one connection, which it or the caller closes. */
export async function say(port: number, ...heads: readonly string[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  socket.end(heads.map((head) => `${head}\r\nHost: localhost\r\n\r\n`).join(""));
  return text(socket);
}

const ROUTES: readonly Route[] = [
  { method: "GET", path: "/open", needs: "open", handler: () => json(200, { ok: true }) },
  { method: "GET", path: "/defect", needs: "open", handler: () => assert.fail("a defect") },
  { method: "GET", path: "/refused", needs: "open", handler: refuse },
  { method: "POST", path: "/change", needs: "write", handler: () => json(200, {}) },
  {
    method: "POST",
    path: "/publish",
    needs: "write",
    publishes: true,
    handler: () => json(200, {}),
  },
  { method: "GET", path: "/pieces", needs: "open", handler: () => json200(["1", "2"]) },
  { method: "POST", path: "/admitted", needs: "open", admit: () => takeBody },
  {
    method: "POST",
    path: "/body",
    needs: "write",
    handler: (_: Api, { body }: Call) => takeBody(body),
  },
  { method: "GET", path: "/read", needs: "read", handler: readMuch },
  { method: "POST", path: "/bulk", needs: "write", lists: true, query: [], handler: readMuch },
].map((row) => ({ ...ROWS, ...row }) as unknown as Route);
