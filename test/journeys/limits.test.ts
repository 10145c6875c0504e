/** Every limit of an account is held, or says why it is not. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { before, test } from "node:test";
import type { AccountLimits } from "../../src/core/model/account/account.ts";
import { LIMIT_FIELDS, type LimitField } from "../../src/core/policy/limits/limits.ts";
import type { CallAnswer } from "../support/http-call.ts";
import { type Journey, journeys } from "../support/journeys.ts";

/** A limit is held by what happens past it, by another test, or for a reason by nothing at all. */
type Enforcement =
  | { readonly past: (journey: Journey) => Promise<void> }
  | { readonly file: string; readonly test: string }
  | { readonly reason: string };

const TIGHT: Partial<AccountLimits> = {
  messageBytesMax: 100,
  requestsPerDaySoft: 0,
  requestsPerDayHard: null,
  requestsPerSecondMax: null,
  endpointsPerUrlGroupMax: 2,
  urlGroupsMax: 1,
  queuesMax: 1,
  queueParallelismMax: 2,
  parallelismMax: 2,
  schedulesMax: 1,
  retriesMax: 2,
  retriesDefault: 1,
  delayMsMax: 60_000,
  timeoutMsMax: 5_000,
};

const RETENTION = "test/contract/retention.test.ts";
const NOT_OFFERED = "the account record shows it; completions are not offered";

const ENFORCED: Readonly<Record<LimitField, Enforcement>> = {
  messageBytesMax: {
    past: async (journey) => {
      assert.equal((await publish(journey, {}, "x".repeat(100))).status, 200);
      const over = await publish(journey, {}, "x".repeat(101));
      assert.equal(over.status, 413);
      const { service, destination } = journey;
      const item = { destination: destination.url, body: "x".repeat(101) };
      const [refused] = await service.batch([item]);
      assert.equal(refused?.["code"], "body-too-large");
    },
  },
  requestsPerDaySoft: {
    past: async (journey) => assert.equal((await publish(journey)).status, 200),
  },
  requestsPerDayHard: {
    file: "test/journeys/request-limits.test.ts",
    test: "publishing is refused past it, with its three headers, and nothing is stored",
  },
  requestsPerSecondMax: {
    file: "test/journeys/request-limits.test.ts",
    test: "calls past it are refused with headers of their own",
  },
  rateLimit: { reason: "the account record shows it; max_requests_per_second is what is held" },
  endpointsPerUrlGroupMax: {
    past: async (journey) => {
      requireQuota(await addEndpoints(journey, "wide", 3), "maxEndpointsPerTopic", 2);
    },
  },
  urlGroupsMax: {
    past: async (journey) => {
      assert.equal((await addEndpoints(journey, "first", 2)).status, 200);
      requireQuota(await addEndpoints(journey, "second", 1), "maxTopics", 1);
      assert.equal((await addEndpoints(journey, "first", 1)).status, 200);
    },
  },
  queuesMax: {
    past: async (journey) => {
      assert.equal((await putQueue(journey, "first", 1)).status, 200);
      requireQuota(await putQueue(journey, "second", 1), "maxQueues", 1);
      const { service, destination } = journey;
      const enqueued = await service.call("POST", `/v2/enqueue/second/${destination.url}/queued`);
      requireQuota(enqueued, "maxQueues", 1);
      assert.equal((await putQueue(journey, "first", 2)).status, 200);
    },
  },
  queueParallelismMax: {
    past: async (journey) => {
      requireQuota(await putQueue(journey, "first", 3), "maxParallelism", 2);
    },
  },
  parallelismMax: {
    past: async ({ service, destination }) => {
      let [underWay, most] = [0, 0];
      destination.respond = () => {
        most = Math.max(most, (underWay += 1));
        setTimeout(() => (underWay -= 1), 90);
        return { delayMs: 100 };
      };
      for (let count = 0; count < 8; count++) await service.publish(`${destination.url}/parallel`);
      await destination.received("/parallel", 8);
      destination.respond = () => ({});
      assert.equal(most, 2);
    },
  },
  schedulesMax: {
    past: async (journey) => {
      assert.equal((await schedule(journey, "first")).status, 200);
      requireQuota(await schedule(journey, "second"), "maxSchedules", 1);
      assert.equal((await schedule(journey, "first")).status, 200);
    },
  },
  retriesMax: {
    past: async (journey) => {
      assert.equal((await publish(journey, { "Svc-Retries": "2" })).status, 200);
      for (const name of ["Svc-Retries", "Svc-Callback-Retries", "Svc-Failure-Callback-Retries"]) {
        const over = await publish(journey, { ...reports(journey), [name]: "3" });
        requireQuota(over, "maxRetries", 2);
      }
    },
  },
  retriesDefault: {
    past: async (journey) => {
      const { service, destination } = journey;
      // It has a delay for each of the retries that there are.
      const headers = { "Svc-Retry-Delay": "1000 / (2 - retried)" };
      const { json } = await publish(journey, headers);
      const [item] = await service.batch([{ destination: destination.url, headers }]);
      for (const { messageId } of [json, item!]) {
        const message = await service.message(String(messageId));
        assert.equal(message["maxRetries"], 1);
      }
    },
  },
  delayMsMax: {
    past: async (journey) => {
      assert.equal((await publish(journey, { "Svc-Delay": "60s" })).status, 200);
      requireQuota(await publish(journey, { "Svc-Delay": "61s" }), "maxDelay", 60);
      const notBefore = String(Math.ceil(Date.now() / 1_000) + 120);
      requireQuota(await publish(journey, { "Svc-Not-Before": notBefore }), "maxDelay", 60);
    },
  },
  timeoutMsMax: {
    past: async (journey) => {
      for (const timeout of ["", "6s", "1h"]) {
        const headers = timeout === "" ? {} : { "Svc-Timeout": timeout };
        const { json } = await publish(journey, headers);
        const message = await journey.service.message(String(json["messageId"]));
        assert.equal(message["timeout"], 5);
      }
    },
  },
  deadLettersMax: {
    file: RETENTION,
    test: "past its number of dead letters an account loses the oldest, recorded",
  },
  deadLetterRetentionMs: {
    file: RETENTION,
    test: "each account keeps its messages and dead letters for its own time",
  },
  logRetentionMs: {
    file: RETENTION,
    test: "each account keeps its messages and dead letters for its own time",
  },
  eventBytesMax: {
    file: "test/journeys/kept-bodies.test.ts",
    test: "the log has as many bytes of a body and of an answer as the account keeps",
  },
  streamsMax: {
    file: "test/journeys/stream.test.ts",
    test: "no more streams are open than the account may have",
  },
  completionTokensPerDayMax: { reason: NOT_OFFERED },
  completionTokensPerMinuteMax: { reason: NOT_OFFERED },
  completionsPerDayMax: { reason: NOT_OFFERED },
  completionsPerMinuteMax: { reason: NOT_OFFERED },
};

journeys("limits", {}, (journey) => {
  before(() => journey.service.limit(TIGHT));

  for (const field of LIMIT_FIELDS) {
    const enforcement = ENFORCED[field];
    if (enforcement === undefined || "reason" in enforcement) continue;
    test(`${field} is held`, async () => {
      if ("past" in enforcement) return enforcement.past(journey);
      assert.ok(existsSync(enforcement.file), enforcement.file);
      assert.ok(readFileSync(enforcement.file, "utf8").includes(`"${enforcement.test}"`));
    });
  }
});

test("no limit is forgotten here", () => {
  assert.deepEqual(Object.keys(ENFORCED).toSorted(), [...LIMIT_FIELDS].toSorted());
});

function publish(
  { service, destination }: Journey,
  headers: Record<string, string> = {},
  body = "",
): Promise<CallAnswer> {
  return service.call("POST", `/v2/publish/${destination.url}/limits`, { headers, body });
}

function reports({ destination }: Journey): Record<string, string> {
  return { "Svc-Callback": destination.url, "Svc-Failure-Callback": destination.url };
}

function addEndpoints({ service, destination }: Journey, name: string, count: number) {
  const endpoints = Array.from({ length: count }, (_, index) => ({
    url: `${destination.url}/${index}`,
  }));
  const body = JSON.stringify({ endpoints });
  return service.call("POST", `/v2/topics/${name}/endpoints`, { body });
}

function putQueue({ service }: Journey, queueName: string, parallelism: number) {
  const body = JSON.stringify({ queueName, parallelism });
  return service.call("POST", "/v2/queues", { body });
}

function schedule({ service, destination }: Journey, id: string): Promise<CallAnswer> {
  return service.call("POST", `/v2/schedules/${destination.url}/scheduled`, {
    headers: { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": id },
  });
}

function requireQuota(answer: CallAnswer, quota: string, limit: number): void {
  assert.equal(answer.status, 412, answer.text);
  assert.equal(answer.json["error"], `quota ${quota} exceeded, current limit: ${limit}`);
  assert.equal(answer.json["code"], "quota-exceeded");
}
