/** What can be called and how, as sections 4.1 to 4.10, 5, 7 and 9 of the specification list it. */
import assert from "node:assert/strict";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { callConsole, freshAccount } from "../support/console-call.ts";
import { call } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually, until } from "../support/eventually.ts";
import { rowTests } from "./row-tests.ts";

journeys("4 to 9", {}, (journey) => {
  /** Makes a dead letter and answers its id. */
  async function makeLetter(path: string): Promise<string> {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const messageId = await service.publish(`${destination.url}${path}`, { "Svc-Retries": "0" });
    const letter = await eventually(async () => {
      const { json } = await service.call("GET", `/v2/dlq?messageId=${messageId}`);
      return (json["messages"] as Item[])[0] ?? null;
    }, "a dead letter");
    return letter["dlqId"] as string;
  }

  async function createSchedule(id: string): Promise<void> {
    const { service, destination } = journey;
    await service.call("POST", `/v2/schedules/${destination.url}/`, {
      headers: { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": id },
    });
  }

  async function requireGone(): Promise<void> {
    const { service } = journey;
    const dlqId = await makeLetter("/gone");
    await service.call("DELETE", `/v2/dlq/${dlqId}`);
    const { status, json } = await service.call("GET", `/v2/dlq/${dlqId}`);
    assert.equal(status, 404);
    assert.equal(typeof json["error"], "string");
  }

  rowTests("4.1", "Get a dead letter", {
    "GET /v2/dlq/{dlqId}": async () => {
      const dlqId = await makeLetter("/shown");
      const { status, json } = await journey.service.call("GET", `/v2/dlq/${dlqId}`);
      assert.equal(status, 200);
      assert.equal(json["url"], `${journey.destination.url}/shown`);
    },
    "404 when it is gone": requireGone,
  });

  rowTests("4.3", "Get a schedule", {
    "GET /v2/schedules/{scheduleId}": async () => {
      await createSchedule("shown");
      const { status, json } = await journey.service.call("GET", "/v2/schedules/shown");
      assert.deepEqual([status, json["scheduleId"]], [200, "shown"]);
      assert.equal((await journey.service.call("GET", "/v2/schedules/none")).status, 404);
    },
  });

  rowTests("4.4", "Pause a schedule", {
    "POST /v2/schedules/{scheduleId}/pause": async () => {
      await createSchedule("held");
      const { service } = journey;
      const { status, json } = await service.call("POST", "/v2/schedules/held/pause");
      assert.deepEqual({ status, json }, { status: 200, json: {} });
      assert.equal((await service.call("GET", "/v2/schedules/held")).json["isPaused"], true);
      assert.equal((await service.call("POST", "/v2/schedules/none/pause")).status, 404);
    },
  });

  rowTests("4.9", "Reset the rate of a flow-control key", {
    "POST /v2/flowControl/{flowControlKey}/resetRate": async () => {
      const { service, destination } = journey;
      destination.respond = () => ({});
      const headers = {
        "Svc-Flow-Control-Key": "reset",
        "Svc-Flow-Control-Value": "rate=1, period=7d",
      };
      const first = await service.publish(`${destination.url}/rated`, headers);
      await service.statesUntil(first, "DELIVERED");
      const second = await service.publish(`${destination.url}/rated`, headers);
      assert.equal((await service.call("POST", "/v2/flowControl/reset/resetRate")).status, 200);
      await service.statesUntil(second, "DELIVERED");
    },
  });

  rowTests("4.10", "Reset the credentials of an account", {
    "POST /v2/svc/rotate-token/{id}": async () => {
      const { url } = journey.service;
      const { id, token, record } = await freshAccount(url);
      const { status, json } = await callConsole(url, "POST", `/v2/svc/rotate-token/${id}`);
      assert.equal(status, 200);
      assert.equal(json["id"], id);
      assert.notEqual(json["token"], token);
      assert.notEqual(json["password"], record["password"]);
      const access = async (each: unknown) =>
        (await journey.service.call("GET", "/v2/keys", { token: each as string })).status;
      assert.equal(await access(json["token"]), 200);
      await until(async () => (await access(token)) === 401, "a 401");
    },
  });

  rowTests("5", "Authentication", {
    "Authorization: Bearer": async () => {
      const { service } = journey;
      for (const token of [null, "nonsense", "=", service.token.slice(1)]) {
        const { status, json } = await call(service.url, "GET", "/v2/keys", { token });
        assert.equal(status, 401);
        const reason = token === null ? "the Authorization header is missing" : "invalid token";
        assert.ok((json["error"] as string).startsWith(`unable to authenticate: ${reason}`));
      }
      assert.equal((await service.call("GET", "/v2/keys")).status, 200);
    },
    "Authorization: Basic": async () => {
      const { url } = journey.service;
      const path = "/v2/svc/users";
      assert.equal((await call(url, "GET", path)).status, 401);
      const wrong = await callConsole(url, "GET", path, { as: ["admin", "wrong"] });
      assert.equal(wrong.status, 401);
      assert.equal((await callConsole(url, "GET", path)).status, 200);
    },
  });

  rowTests("7", "Errors", {
    "a dead letter that is gone is 404": requireGone,
    "a failed flow-control reset says why": async () => {
      const path = "/v2/flowControl/no-such-key/resetRate";
      const { status, json } = await journey.service.call("POST", path);
      assert.equal(status, 404);
      assert.match(json["error"] as string, /no-such-key/);
    },
  });

  rowTests("9", "Versioning", {
    "every path of the interface begins with /v2/": () => {
      const ofDev = ["/dev/clock", "/dev/clock", "/dev/simulate", "/dev/workflow/{id}"];
      const others = ["/healthz", "/readyz", "/metrics", "/echo/{path...}", "/openapi.json"];
      const paths = [...ROUTES, ...CONSOLE_ROUTES].map(({ path }) => path);
      const unversioned = paths.filter((path) => !path.startsWith("/v2/"));
      assert.deepEqual(unversioned, [...others, ...ofDev]);
    },
    "label stays beside labels": async () => {
      const { service, destination } = journey;
      const messageId = await service.publish(`${destination.url}/`, {
        "Svc-Delay": "1h",
        "Svc-Label": "one,two",
      });
      const { json } = await service.call("GET", `/v2/messages/${messageId}`);
      assert.deepEqual([json["label"], json["labels"]], ["one", ["one", "two"]]);
    },
  });
});
