/** Failed runs that are taken up: what endpoint and failure callback get of each new setting, and when. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { Received } from "../support/destination-server.ts";
import {
  inEveryWay,
  nameOf,
  type TakenUp,
  takeUp,
  toldIn,
  type Way,
} from "../support/failed-runs.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually, until } from "../support/eventually.ts";

journeys("every override of a run that is taken up", {}, (journey) => {
  /** The waits before the retries of a delivery, as its log tells them. */
  async function waitsMs(way: Way, delivery: Received): Promise<number[]> {
    const [messageId] = toldIn(way, delivery, ["Message-Id"]);
    const log = await journey.service.logUntil(messageId!, "FAILED");
    return log
      .filter((entry) => entry["nextDeliveryTime"] !== undefined)
      .map((entry) => Number(entry["nextDeliveryTime"]) - Number(entry["time"]));
  }

  function keyOf(key: string): Promise<Item> {
    return journey.service.get(`/v2/flowControl/${key}`);
  }

  async function setKey(key: string, verb: "pause" | "resume"): Promise<void> {
    const { status, text } = await journey.service.call("POST", `/v2/flowControl/${key}/${verb}`);
    assert.equal(status, 200, text);
  }

  inEveryWay("retries and their delays hold for every step that is left", async (way) => {
    const runs = await takeUp({
      journey,
      way,
      name: "retries",
      before: { "Retry-Delay": "3600000" },
      given: { Retries: "2", "Retry-Delay": "200 * (1 + retried)" },
      endpoint: (run, request, nth) => (nth === 2 ? run.submit(request) : run.fails()),
    });
    for (const run of runs) {
      await deliveries(run, 5);
      assert.deepEqual(run.told("Retried").flat(), ["0", "1", "0", "1", "2"], run.path);
      const at = run.deliveries.map(({ receivedAt }) => receivedAt);
      const gapsMs = [at[1]! - at[0]!, at[3]! - at[2]!, at[4]! - at[3]!];
      assert.ok(
        gapsMs.every((gapMs, index) => gapMs >= [199, 199, 399][index]!),
        gapsMs.join(" "),
      );
      const [short, long, ...more] = await waitsMs(way, run.deliveries[2]!);
      assert.ok(short! <= 200 && long! <= 400 && more.length === 0, `${short} ${long}`);
    }
  });

  inEveryWay("a delay holds the new run back, once", async (way) => {
    const runs = await takeUp({
      journey,
      way,
      name: "delay",
      given: { Delay: "1s" },
      endpoint: (run, request, nth) => (nth === 1 ? run.submit(request) : run.fails()),
    });
    for (const run of runs) {
      await deliveries(run, 2);
      const [first, second] = run.deliveries;
      assert.ok(first!.receivedAt >= run.createdAt + 999, run.path);
      const [next] = await waitsMs(way, second!);
      assert.equal(next, undefined, "the step after it does not wait");
    }
  });

  inEveryWay("a flow-control key holds for every step that is left", async (way) => {
    const [oldKey, newKey] = [nameOf("old-key", way), nameOf("new-key", way)];
    let underWay = 0;
    let most = 0;
    const runs = await takeUp({
      journey,
      way,
      name: "flow",
      before: { "Flow-Control-Key": oldKey, "Flow-Control-Value": "rate=9000" },
      given: {
        "Flow-Control-Key": newKey,
        "Flow-Control-Value": "parallelism=1, rate=70, period=1h",
      },
      // Whatever still went by the old key would never come.
      failed: async () => {
        await setKey(oldKey, "pause");
        await setKey(newKey, "pause");
      },
      endpoint: async (run, request, nth) => {
        most = Math.max(most, (underWay += 1));
        if (nth > 1) return { ...run.fails(), until: wait(20).then(() => (underWay -= 1)) };
        const reply = await run.submit(request);
        return { ...reply, until: wait(20).then(() => (underWay -= 1)) };
      },
    });
    const held = async (): Promise<Item | null> => {
      const key = await keyOf(newKey);
      return key["waitListSize"] === runs.length ? key : null;
    };
    const key = await eventually(held, `${newKey} holds the runs`);
    assert.deepEqual([key["parallelismMax"], key["rateMax"], key["ratePeriod"]], [1, 70, 3600]);
    assert.ok(runs.every((run) => run.deliveries.length === 0));
    await setKey(newKey, "resume");
    for (const run of runs) await deliveries(run, 2);
    assert.equal(most, 1, "one at a time");
    assert.equal((await keyOf(newKey))["rateCount"], 2 * runs.length);
  });

  inEveryWay("labels are told to the endpoint and the callback, and found", async (way) => {
    const label = nameOf("label", way);
    const runs = await takeUp({
      journey,
      way,
      name: "labels",
      before: { Label: `${label}-old,${label}-older` },
      given: { Label: `${label},${label}-newer` },
      endpoint: (run, request, nth) => (nth === 1 ? run.submit(request) : run.fails()),
    });
    for (const run of runs) {
      const told = `${label},${label}-newer`;
      const [failed, again] = await journey.destination.received(`${run.path}-report`, 2);
      assert.deepEqual(toldIn(way, failed, ["Label"]), [`${label}-old,${label}-older`]);
      assert.deepEqual(toldIn(way, again!, ["Label"]), [told]);
      assert.deepEqual(run.told("Label"), [[told], [told]]);
    }
    const found = await journey.service.list(`/v2/workflows/logs?label=${label}-newer`, "runs");
    const ids = found.map((run) => String(run["workflowRunId"]));
    assert.deepEqual(ids.toSorted(), runs.map(({ runId }) => runId).toSorted());
  });

  inEveryWay(
    "where each step says its settings, new ones hold for what is sent again",
    async (way) => {
      const key = nameOf("older-key", way);
      const runs = await takeUp({
        journey,
        way,
        name: "older",
        startedBy: "publish",
        before: { "Retry-Delay": "3600000" },
        given: {
          Retries: "1",
          "Retry-Delay": "1",
          Label: "new,newer",
          Delay: "1s",
          "Flow-Control-Key": key,
          "Flow-Control-Value": "parallelism=1",
        },
        endpoint: (run) => run.fails(),
      });
      for (const run of runs) {
        const [, report] = await journey.destination.received(`${run.path}-report`, 2);
        assert.deepEqual(toldIn(way, report!, ["Label"]), ["new,newer"]);
        assert.deepEqual(run.told("Retried", "Label"), [
          ["0", "new,newer"],
          ["1", "new,newer"],
        ]);
        const [first] = run.deliveries;
        assert.ok(first!.receivedAt >= run.createdAt + 999, run.path);
        const [messageId] = toldIn(way, first!, ["Message-Id"]);
        const [logged] = await journey.service.log(messageId!);
        assert.equal(logged?.["flowControlKey"], key);
      }
    },
  );
});

/** Resolves once the endpoint of the new run has been called so often. */
function deliveries(run: TakenUp, count: number): Promise<void> {
  return until(() => run.deliveries.length >= count, `${count} deliveries to ${run.path}`);
}
