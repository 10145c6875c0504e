/** Every limit, as section 8 of the specification lists them: in the record, and held to. */
import assert from "node:assert/strict";
import type { LimitOverrides } from "../../src/core/model/account/account.ts";
import { sweepRound } from "../../src/engine/upkeep/sweep-round.ts";
import { Scene } from "../contract/scene.ts";
import { callConsole, type FreshAccount, freshAccount } from "../support/console-call.ts";
import type { CallAnswer, CallOptions } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { anAccount, START_AT } from "../support/messages.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import { STORES } from "../support/stores.ts";
import { type RowCase, rowTests } from "./row-tests.ts";

type Limits = Readonly<Record<string, number>>;

journeys("8", {}, (journey) => {
  /** An account with limits of its own, and calls in its name. */
  async function limited(limits: Limits) {
    const account: FreshAccount = await freshAccount(journey.service.url, { limits });
    for (const [name, value] of Object.entries(limits)) assert.equal(account.record[name], value);
    const { id, token, record } = account;
    const ask = (method: string, path: string, options?: CallOptions): Promise<CallAnswer> =>
      account.call(method, path, options);
    const publish = (headers: Readonly<Record<string, string>> = {}, body = "") =>
      ask("POST", `/v2/publish/${journey.destination.url}/limited`, { headers, body });
    return { id, token, record, ask, publish };
  }

  /** The limit that an account finds when it asks for one more than it may. */
  function refuses(
    name: string,
    quota: string,
    ask: (account: Awaited<ReturnType<typeof limited>>, over: boolean) => Promise<CallAnswer>,
    value = 1,
  ): RowCase {
    return async () => {
      const account = await limited({ [name]: value });
      const within = await ask(account, false);
      assert.equal(within.status, 200, within.text);
      const over = await ask(account, true);
      assert.equal(over.status, 412, over.text);
      assert.equal(over.json["error"], `quota ${quota} exceeded, current limit: ${value}`);
    };
  }

  /** Completions are not offered, so that these are only shown. */
  const isShown =
    (name: string, free: number): RowCase =>
    async () => {
      const { record } = await freshAccount(journey.service.url, { plan_name: "free" });
      assert.equal(record[name], free);
      const { id } = await limited({ [name]: 7 });
      const { json } = await callConsole(journey.service.url, "GET", `/v2/svc/user/${id}`);
      assert.equal(json[name], 7);
    };

  const endpoints = (...paths: readonly string[]): string =>
    JSON.stringify({
      endpoints: paths.map((path) => ({ url: `${journey.destination.url}${path}` })),
    });

  rowTests("8", "Limits", {
    "a schedule fires once a minute at most": async () => {
      const { ask } = await limited({});
      for (const cron of ["*/30 * * * * *", "@every 59s"]) {
        const { status } = await ask("POST", `/v2/schedules/${journey.destination.url}/`, {
          headers: { "Svc-Cron": cron },
        });
        assert.equal(status, 400, cron);
      }
    },
    "Svc-Retries defaults to 3 on the free plan and 5 on paid ones": async () => {
      for (const [plan_name, retries] of [
        ["free", 3],
        ["paid", 5],
        ["svc_fixed_1m", 5],
      ] as const) {
        const { token } = await freshAccount(journey.service.url, { plan_name });
        const { service, destination } = journey;
        const { json } = await service.call("POST", `/v2/schedules/${destination.url}/`, {
          token,
          headers: { "Svc-Cron": "0 0 1 1 *" },
        });
        const path = `/v2/schedules/${json["scheduleId"] as string}`;
        assert.equal((await service.call("GET", path, { token })).json["retries"], retries);
      }
    },
    "deliveries are 1 + retries": async () => {
      const { service, destination } = journey;
      destination.respond = ({ url }) => ({ status: url === "/counted" ? 500 : 200 });
      const id = await service.publish(`${destination.url}/counted`, {
        "Svc-Retries": "2",
        "Svc-Retry-Delay": "0",
      });
      await service.statesUntil(id, "FAILED");
      assert.equal(destination.to("/counted").length, 3);
    },
    max_message_size: async () => {
      const { publish } = await limited({ max_message_size: 10 });
      assert.equal((await publish({}, "0123456789")).status, 200);
      assert.equal((await publish({}, "0123456789+")).status, 413);
    },
    max_requests_per_day: async () => {
      const { publish, id } = await limited({ max_requests_per_day: 1 });
      assert.equal((await publish()).status, 200);
      assert.equal((await publish()).status, 200);
      const { url } = journey.service;
      await eventually(async () => {
        const { text } = await callConsole(url, "GET", `/v2/svc/stats/${id}?period=1d`);
        return text.includes("2") ? text : null;
      }, "what is over the soft limit is counted");
    },
    max_requests_per_day_hard: async () => {
      const { publish } = await limited({ max_requests_per_day_hard: 2 });
      assert.equal((await publish()).status, 200);
      assert.equal((await publish()).status, 200);
      const { status, headers } = await publish();
      assert.equal(status, 429);
      assert.deepEqual([headers["ratelimit-limit"], headers["ratelimit-remaining"]], ["2", "0"]);
      assert.equal(Number(headers["ratelimit-reset"]) % 86_400, 0);
    },
    max_endpoints_per_topic: refuses(
      "max_endpoints_per_topic",
      "maxEndpointsPerTopic",
      (to, over) =>
        to.ask("POST", "/v2/topics/limited/endpoints", { body: endpoints(over ? "/b" : "/a") }),
    ),
    max_requests_per_second: async () => {
      const { ask } = await limited({ max_requests_per_second: 1 });
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask("GET", "/v2/queues")));
      const refused = answers.find(({ status }) => status === 429);
      assert.equal(refused?.headers["burst-ratelimit-limit"], "1");
      assert.equal(refused?.headers["ratelimit-limit"], undefined);
    },
    max_dlq_size: async () => {
      await limited({ max_dlq_size: 3 });
      assert.equal(await lettersKept({ deadLettersMax: 3 }, 0), 3);
    },
    max_completion_tokens_per_day: isShown("max_completion_tokens_per_day", 1_000),
    max_completion_tokens_per_minute: isShown("max_completion_tokens_per_minute", 100),
    max_completions_per_day: isShown("max_completions_per_day", 10),
    max_completions_per_minute: isShown("max_completions_per_minute", 1),
    max_retries: refuses("max_retries", "maxRetries", (to, over) =>
      to.publish({ "Svc-Retries": over ? "2" : "1" }),
    ),
    max_topics: refuses("max_topics", "maxTopics", (to, over) =>
      to.ask("POST", `/v2/topics/${over ? "b" : "a"}/endpoints`, { body: endpoints("/a") }),
    ),
    max_schedules: refuses("max_schedules", "maxSchedules", (to) =>
      to.ask("POST", `/v2/schedules/${journey.destination.url}/`, {
        headers: { "Svc-Cron": "0 0 1 1 *" },
      }),
    ),
    max_events_size: async () => {
      const { service, destination } = journey;
      destination.respond = () => ({ body: "0123456789" });
      const { publish, token } = await limited({ max_events_size: 4 });
      const { json } = await publish();
      const delivered = await eventually(async () => {
        const path = `/v2/logs?state=DELIVERED&messageId=${json["messageId"] as string}`;
        const { json: page } = await service.call("GET", path, { token });
        return (page["logs"] as Item[])[0] ?? null;
      }, "a delivery");
      const kept = Buffer.from(delivered["responseBody"] as string, "base64").toString();
      assert.equal(kept, "0123");
    },
    max_dlq_retention_time_milis: async () => {
      await limited({ max_dlq_retention_time_milis: 60_000 });
      assert.equal(await lettersKept({ deadLetterRetentionMs: 60_000 }, 60_000), 4);
      assert.equal(await lettersKept({ deadLetterRetentionMs: 60_000 }, 60_001), 0);
    },
    max_delay: refuses("max_delay", "maxDelay", (to, over) =>
      to.publish({ "Svc-Delay": over ? "2s" : "1s" }),
    ),
    max_parallelism: refuses("max_parallelism", "maxParallelism", (to, over) =>
      to.ask("POST", "/v2/queues", {
        body: JSON.stringify({ queueName: "limited", parallelism: over ? 2 : 1 }),
      }),
    ),
    max_global_parallelism: async () => {
      const { service, destination } = journey;
      destination.respond = () => ({ delayMs: 50 });
      const { publish, ask, token } = await limited({ max_global_parallelism: 1 });
      const { json } = await ask("GET", "/v2/globalParallelism");
      assert.equal(json["parallelismMax"], 1);
      const sent = await Promise.all(Array.from({ length: 3 }, () => publish()));
      const ids = sent.map((answer) => answer.json["messageId"] as string);
      const entries = await eventually(async () => {
        const { json: page } = await service.call("GET", "/v2/logs?order=earliestFirst", { token });
        const logs = page["logs"] as Item[];
        return logs.filter(({ state }) => state === "DELIVERED").length === 3 ? logs : null;
      }, "three deliveries");
      const steps = entries.filter(({ state }) => state === "ACTIVE" || state === "DELIVERED");
      const order = steps.map(
        ({ messageId, state }) => `${ids.indexOf(messageId as string)} ${state as string}`,
      );
      const inTurn = order.every((step, index) =>
        index % 2 === 0 ? step.endsWith("ACTIVE") : step === `${order[index - 1]?.[0]} DELIVERED`,
      );
      assert.ok(inTurn, order.join(", "));
    },
    max_queues: refuses("max_queues", "maxQueues", (to, over) =>
      to.ask("POST", "/v2/queues", { body: JSON.stringify({ queueName: over ? "b" : "a" }) }),
    ),
    timeout: async () => {
      const { publish, ask } = await limited({ timeout: 60 });
      const { json } = await publish({ "Svc-Timeout": "1h", "Svc-Delay": "1h" });
      const { json: shown } = await ask("GET", `/v2/messages/${json["messageId"] as string}`);
      assert.equal(shown["timeout"], 60);
    },
    rate_limit: isShown("rate_limit", 20),
  });
});

/** How many of four dead letters an account keeps for a while that a limit of its own allows. */
async function lettersKept(overrides: LimitOverrides, waitMs: number): Promise<number> {
  const clock = new ManualClock(START_AT);
  const opened = await STORES[0]!.open(clock);
  try {
    const scene = new Scene(opened.store, clock);
    const accountId = "limited";
    await scene.act({ rule: "add-account", account: anAccount({ accountId, overrides }) });
    for (const id of ["a", "b", "c", "d"]) await scene.bury(id, { accountId });
    clock.advance(waitMs);
    const { store } = scene;
    for await (const _ of sweepRound({ ...NODE, store, clock, cursors: new Map() })) continue;
    return (await scene.deadLetters(accountId)).length;
  } finally {
    await opened.close();
  }
}

const NODE = {
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  limits: {
    slots: 1,
    slotsPerHost: 1,
    bytesMax: 1,
    storedBytesMax: 1,
    logBytesMax: Number.MAX_SAFE_INTEGER,
  },
};
