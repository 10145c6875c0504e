/** How schedules and accounts change, as section 3 of the specification lists it. */
import assert from "node:assert/strict";
import { callConsole, freshAccount } from "../support/console-call.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { until } from "../support/eventually.ts";
import { rowTests } from "./row-tests.ts";

journeys("3", {}, (journey) => {
  const read = async (id: string): Promise<Item> =>
    (await journey.service.call("GET", `/v2/schedules/${id}`)).json;

  async function create(id: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const { service, destination } = journey;
    const answer = await service.call("POST", `/v2/schedules/${destination.url}/${id}`, {
      headers: { "Svc-Cron": "0 0 1 1 *", "Svc-Schedule-Id": id, ...headers },
    });
    assert.equal(answer.status, 200, answer.text);
  }

  const pause = (id: string) => journey.service.call("POST", `/v2/schedules/${id}/pause`);

  /** Makes a schedule due, and waits until its tick is over. */
  async function becomesDue(id: string): Promise<void> {
    await journey.service.fireAt(id, Date.now() - 1);
    await until(async () => {
      const { nextScheduleTime } = await read(id);
      return (nextScheduleTime as number) > Date.now();
    }, `the tick of ${id} is over`);
  }

  const messagesOf = async (id: string): Promise<unknown> =>
    (await journey.service.call("GET", `/v2/logs?scheduleId=${id}`)).json["logs"];

  rowTests("3", "States of schedules and accounts", {
    "pausing a schedule leaves its next time and ignores that delivery": async () => {
      await create("paused");
      const before = await read("paused");
      assert.equal((await pause("paused")).status, 200);
      assert.deepEqual(await read("paused"), { ...before, isPaused: true });
      await becomesDue("paused");
      assert.deepEqual(await messagesOf("paused"), []);
      assert.equal(journey.destination.requests.length, 0);
    },
    "pausing a paused schedule has no effect": async () => {
      await create("twice");
      await pause("twice");
      const before = await read("twice");
      assert.equal((await pause("twice")).status, 200);
      assert.deepEqual(await read("twice"), before);
    },
    "creating a schedule whose id exists replaces its settings": async () => {
      await create("replaced", { "Svc-Label": "old", "Svc-Delay": "5s" });
      const before = await read("replaced");
      await create("replaced", { "Svc-Cron": "0 0 1 2 *", "Svc-Method": "GET" });
      const after = await read("replaced");
      assert.equal(after["createdAt"], before["createdAt"]);
      assert.deepEqual([after["cron"], after["method"]], ["0 0 1 2 *", "GET"]);
      assert.deepEqual([after["labels"], after["delay"]], [undefined, undefined]);
    },
    "an account is active or suspended": async () => {
      const { service } = journey;
      const { id, token } = await freshAccount(service.url);
      const stateOf = async () => {
        const { json } = await callConsole(service.url, "GET", `/v2/svc/user/${id}`);
        return [json["active"], json["state"], json["modifying_state"]];
      };
      assert.deepEqual(await stateOf(), [true, "active", ""]);
      await callConsole(service.url, "POST", `/v2/svc/suspend/${id}`);
      assert.deepEqual(await stateOf(), [false, "passive", "suspended"]);
      assert.equal((await service.call("GET", "/v2/keys", { token })).status, 403);
      await callConsole(service.url, "POST", `/v2/svc/activate/${id}`);
      assert.deepEqual(await stateOf(), [true, "active", ""]);
      assert.equal((await service.call("GET", "/v2/keys", { token })).status, 200);
    },
  });
});
