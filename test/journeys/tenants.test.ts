/** A walk over every route with what belongs to another account. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ROUTES } from "../../src/api/routes.ts";
import { freshAccount } from "../support/console-call.ts";
import { call, type CallAnswer } from "../support/http-call.ts";
import { type Journey, journeys } from "../support/journeys.ts";

/** Things of the account that is not to be touched, by the names of the path's parts. */
type Things = Readonly<Record<string, string>>;

/** How a route that names a thing is called. */
interface Naming {
  readonly names: keyof typeof MISSING;
  readonly query?: string;
  readonly body?: string;
  /** A missing thing is no mistake here: it is made, or there is nothing to do. */
  readonly isLenient?: boolean;
}

/** A route that names nothing: what it answers must hold nothing of the other's. */
type Visit = Naming | "names nothing";

/** Nothing in the store has these names. */
const MISSING = {
  messageId: "msg_00000000000000000000000000",
  dlqId: "1700000000000-999999",
  name: "missing-topic",
  queueName: "missing-queue",
  flowControlKey: "missing-key",
  scheduleId: "missing-schedule",
  workflowRunId: "wfr_missing",
  id: "tok_missing",
} as const;

const ENDPOINTS = JSON.stringify({ endpoints: [{ url: "https://example.com/walk" }] });

/** Every route that needs a token. A new one fails the test until it is listed here. */
const WALK: Readonly<Record<string, Visit>> = {
  "POST /v2/publish/{destination...}": "names nothing",
  "POST /v2/enqueue/{queueName}/{destination...}": "names nothing",
  "POST /v2/batch": "names nothing",
  "GET /v2/messages/{messageId}": { names: "messageId" },
  "DELETE /v2/messages/{messageId}": { names: "messageId" },
  "GET /v2/messages/{messageId}/callbacks": { names: "messageId" },
  "POST /v2/messages/{messageId}/retry": { names: "messageId" },
  "GET /v2/messages": "names nothing",
  "DELETE /v2/messages": "names nothing",
  "GET /v2/topics": "names nothing",
  "GET /v2/topics/{name}": { names: "name" },
  "PATCH /v2/topics/{name}": { names: "name", body: '{"headers":{}}' },
  "DELETE /v2/topics/{name}": { names: "name", isLenient: true },
  "POST /v2/topics/{name}/endpoints": { names: "name", body: ENDPOINTS, isLenient: true },
  "DELETE /v2/topics/{name}/endpoints": { names: "name", body: ENDPOINTS, isLenient: true },
  "GET /v2/logs": "names nothing",
  "GET /v2/events": "names nothing",
  "GET /v2/dlq": "names nothing",
  "GET /v2/dlq/groups": "names nothing",
  "GET /v2/dlq/hosts": "names nothing",
  "DELETE /v2/dlq": "names nothing",
  "POST /v2/messages/retry": "names nothing",
  "POST /v2/dlq/retry": "names nothing",
  "POST /v2/dlq/retry/{dlqId}": { names: "dlqId" },
  "GET /v2/dlq/{dlqId}": { names: "dlqId" },
  "DELETE /v2/dlq/{dlqId}": { names: "dlqId" },
  "POST /v2/queues": "names nothing",
  "GET /v2/queues": "names nothing",
  "GET /v2/queues/{queueName}": { names: "queueName" },
  "DELETE /v2/queues/{queueName}": { names: "queueName", isLenient: true },
  "POST /v2/queues/{queueName}/pause": { names: "queueName", isLenient: true },
  "POST /v2/queues/{queueName}/resume": { names: "queueName", isLenient: true },
  "GET /v2/flowControl": "names nothing",
  "GET /v2/flowControl/{flowControlKey+}": { names: "flowControlKey" },
  "POST /v2/flowControl/{flowControlKey+}/pause": { names: "flowControlKey", isLenient: true },
  "POST /v2/flowControl/{flowControlKey+}/resume": { names: "flowControlKey", isLenient: true },
  "POST /v2/flowControl/{flowControlKey+}/pin": {
    names: "flowControlKey",
    query: "?parallelism=1",
    isLenient: true,
  },
  "POST /v2/flowControl/{flowControlKey+}/unpin": {
    names: "flowControlKey",
    query: "?parallelism=true",
    isLenient: true,
  },
  "POST /v2/flowControl/{flowControlKey+}/resetRate": { names: "flowControlKey", isLenient: true },
  "POST /v2/flowControl/{flowControlKey+}/reset": { names: "flowControlKey", isLenient: true },
  "GET /v2/schedules": "names nothing",
  "GET /v2/cron/preview": "names nothing",
  "POST /v2/schedules/{destination...}": "names nothing",
  "GET /v2/schedules/{scheduleId}": { names: "scheduleId" },
  "DELETE /v2/schedules/{scheduleId}": { names: "scheduleId" },
  "POST /v2/schedules/{scheduleId}/pause": { names: "scheduleId" },
  "PATCH /v2/schedules/{scheduleId}/pause": { names: "scheduleId" },
  "PUT /v2/schedules/{scheduleId}/pause": { names: "scheduleId" },
  "POST /v2/schedules/{scheduleId}/resume": { names: "scheduleId" },
  "PATCH /v2/schedules/{scheduleId}/resume": { names: "scheduleId" },
  "PUT /v2/schedules/{scheduleId}/resume": { names: "scheduleId" },
  "POST /v2/schedules/{scheduleId}/run": { names: "scheduleId" },
  "POST /v2/trigger/{workflowUrl...}": "names nothing",
  "POST /v2/batch/trigger": "names nothing",
  "GET /v2/workflows/runs/{workflowRunId...}": { names: "workflowRunId" },
  "DELETE /v2/workflows/runs/{workflowRunId...}": { names: "workflowRunId" },
  "DELETE /v2/workflows/runs": "names nothing",
  // Events are names, which every account has to itself.
  "POST /v2/wait/{eventId...}": "names nothing",
  "POST /v2/notify/{eventId...}": "names nothing",
  "GET /v2/waiters/{eventId...}": "names nothing",
  "GET /v2/workflows/logs": "names nothing",
  "GET /v2/workflows/events": "names nothing",
  "GET /v2/workflows/counts": "names nothing",
  "GET /v2/workflows/dlq": "names nothing",
  "DELETE /v2/workflows/dlq": "names nothing",
  "POST /v2/workflows/dlq/resume": "names nothing",
  "POST /v2/workflows/dlq/resume/{dlqId}": { names: "dlqId" },
  "POST /v2/workflows/dlq/restart": "names nothing",
  "POST /v2/workflows/dlq/restart/{dlqId}": { names: "dlqId" },
  "POST /v2/workflows/dlq/callback/{dlqId}": { names: "dlqId" },
  "DELETE /v2/workflows/dlq/callback/{dlqId}": { names: "dlqId" },
  "GET /v2/workflows/dlq/{dlqId}": { names: "dlqId" },
  "DELETE /v2/workflows/dlq/{dlqId}": { names: "dlqId" },
  "GET /v2/globalParallelism": "names nothing",
  "GET /v2/stats": "names nothing",
  "GET /v2/hosts": "names nothing",
  "GET /v2/overview": "names nothing",
  "GET /v2/waiting": "names nothing",
  "GET /v2/stream": "names nothing",
  "GET /v2/account": "names nothing",
  "GET /v2/account/tokens": "names nothing",
  "POST /v2/account/tokens": "names nothing",
  "DELETE /v2/account/tokens/{id}": { names: "id" },
  "GET /v2/keys": "names nothing",
  "GET /dev/clock": "names nothing",
  "POST /dev/clock": "names nothing",
  "POST /dev/simulate": "names nothing",
  "POST /v2/keys/rotate": "names nothing",
  "POST /v2/rotate": "names nothing",
  // The last, since the token is of no use afterwards.
  "POST /v2/account/rotate-token": "names nothing",
};

test("the walk knows every route that needs a token, and no other", () => {
  const withToken = ["read", "write", "owner"];
  const routes = ROUTES.filter(({ needs }) => withToken.includes(needs));
  const known = routes.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(Object.keys(WALK).toSorted(), known.toSorted());
});

journeys("tenants", {}, (journey) => {
  test("what belongs to another account is as if it did not exist", async () => {
    const { url } = journey.service;
    const things = await makeThings(journey);
    const before = await look(journey, things);
    const stranger = await freshAccount(url);
    for (const [route, visit] of Object.entries(WALK)) {
      if (visit === "names nothing") continue;
      // What a lenient call makes must not be found by the next one.
      const { token } = visit.isLenient === true ? await freshAccount(url) : stranger;
      const foreign = await follow(url, token, route, visit, things[visit.names]!);
      const missing = await follow(url, token, route, visit, MISSING[visit.names]);
      const answered = foreign.text.replaceAll(things[visit.names]!, MISSING[visit.names]);
      assert.equal(withoutInstants(answered), withoutInstants(missing.text), route);
      assert.equal(foreign.status, missing.status, route);
      if (visit.isLenient !== true) assert.equal(foreign.status, 404, `${route} ${foreign.text}`);
      assert.deepEqual(await look(journey, things), before, route);
    }
  });

  test("lists, keys and bulk calls show and touch only what is one's own", async () => {
    const { url } = journey.service;
    const things = await makeThings(journey);
    const before = await look(journey, things);
    const { token } = await freshAccount(url);
    for (const [route, visit] of Object.entries(WALK)) {
      const [method, path] = route.split(" ") as [string, string];
      if (visit !== "names nothing" || path.includes("{") || path === "/v2/batch") continue;
      // It does not end; its own journey listens as another account.
      if (path === "/v2/stream") continue;
      const query = method === "DELETE" || path === "/v2/dlq/retry" ? "?all=true" : "";
      const answer = await call(url, method, path + query, { token, ...bodyOf(path) });
      assert.ok(answer.status < 500, `${route} ${answer.text}`);
      for (const thing of Object.values(things)) {
        assert.ok(!answer.text.includes(thing), `${route} shows ${thing}`);
      }
    }
    assert.deepEqual(await look(journey, things), before);
  });
});

function follow(
  url: string,
  token: string,
  route: string,
  { query = "", body }: Naming,
  name: string,
): Promise<CallAnswer> {
  const [method, path] = route.split(" ") as [string, string];
  const target = path.replace(/\{[A-Za-z]+(\+|\.\.\.)?\}/, name) + query;
  const headers = { "Content-Type": "application/json" };
  return call(url, method, target, { token, ...(body === undefined ? {} : { body, headers }) });
}

function bodyOf(path: string): { body?: string } {
  return path === "/v2/queues" ? { body: '{"queueName":"own","parallelism":1}' } : {};
}

/** One thing of each kind, in the first account. */
async function makeThings({ service, destination }: Journey): Promise<Things> {
  destination.respond = () => ({ status: 500 });
  const number = ++made;
  const name = `topic-of-another-${number}`;
  const queueName = `queue-of-another-${number}`;
  const flowControlKey = `key-of-another-${number}`;
  const waiting = { "Svc-Delay": "1h" };
  const messageId = await service.publish(`${destination.url}/waits`, waiting);
  await service.publish(`${destination.url}/keyed`, {
    ...waiting,
    "Svc-Flow-Control-Key": flowControlKey,
    "Svc-Flow-Control-Value": "parallelism=3",
  });
  const dead = await service.publish(`${destination.url}/dies`, { "Svc-Retries": "0" });
  await service.addEndpoints(name, "https://example.com/mine");
  await service.post("/v2/queues", { queueName, parallelism: 2 });
  const scheduleId = `schedule-of-another-${number}`;
  const schedule = { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": scheduleId };
  const target = `/v2/schedules/${destination.url}/scheduled`;
  const scheduled = await service.call("POST", target, { headers: schedule });
  assert.equal(scheduled.status, 200, scheduled.text);
  const workflowRunId = await service.trigger(`${destination.url}/flow`, waiting);
  const { dlqId } = await service.deadLetterOf(dead);
  const token = { name: `token-of-another-${number}`, scope: "full" };
  const added = await service.call("POST", "/v2/account/tokens", { body: JSON.stringify(token) });
  const id = added.json["id"] as string;
  return { messageId, dlqId, name, queueName, flowControlKey, scheduleId, workflowRunId, id };
}

/** Everything that a foreign call could have changed. */
async function look({ service }: Journey, things: Things): Promise<unknown> {
  const paths = [
    `/v2/messages/${things["messageId"]}`,
    `/v2/dlq/${things["dlqId"]}`,
    `/v2/topics/${things["name"]}`,
    `/v2/queues/${things["queueName"]}`,
    `/v2/flowControl/${things["flowControlKey"]}`,
    `/v2/schedules/${things["scheduleId"]}`,
    `/v2/workflows/runs/${things["workflowRunId"]}`,
    "/v2/topics",
    "/v2/queues",
    "/v2/schedules",
    "/v2/keys",
  ];
  const tokens = (await service.all("/v2/account/tokens")).map(({ id }) => id);
  return [tokens, ...(await Promise.all(paths.map((path) => service.get(path))))];
}

/** What a lenient call has just made says when. */
function withoutInstants(text: string): string {
  return text.replace(/(?<=At":)\d{13}/g, "0");
}

let made = 0;
