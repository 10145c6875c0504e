/** What can be seen and set of flow-control keys. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { journeys } from "../support/journeys.ts";
import { until } from "../support/eventually.ts";
import { OTHER_TOKEN, type TestService } from "../support/service-harness.ts";

const path = (key: string, verb = ""): string => `/v2/flowControl/${key}${verb}`;

function keyOf(service: TestService, key: string): Promise<Item> {
  return service.get(path(key));
}

async function set(service: TestService, key: string, verb: string): Promise<void> {
  const answer = await service.call("POST", path(key, verb));
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.text, "");
}

for (const prefix of ["Svc", "Upstash"]) {
  const under = (key: string, value: string): Record<string, string> => ({
    [`${prefix}-Flow-Control-Key`]: key,
    [`${prefix}-Flow-Control-Value`]: value,
  });

  journeys(`flow-control keys in the ${prefix} dialect`, {}, (journey) => {
    test("a key is shown whole right after the publish that introduced it", async () => {
      const { service, destination } = journey;
      const delayed = {
        ...under("new", "rate=3, period=1h30m, parallelism=2"),
        [`${prefix}-Delay`]: "1h",
      };
      await service.publish(`${destination.url}/later`, delayed);
      const { ratePeriodStart, ...shown } = await keyOf(service, "new");
      assert.equal(typeof ratePeriodStart, "number");
      assert.deepEqual(shown, {
        flowControlKey: "new",
        waitListSize: 0,
        parallelismMax: 2,
        parallelismCount: 0,
        rateMax: 3,
        rateCount: 0,
        ratePeriod: 5400,
        isPaused: false,
        isPinnedParallelism: false,
        isPinnedRate: false,
      });
    });

    test("the newest message sets the limits of a key", async () => {
      const { service, destination } = journey;
      const url = `${destination.url}/newest`;
      for (const value of ["parallelism=5", "parallelism=3", "parallelism=5", "rate=9"]) {
        await service.publish(url, under("newest", value));
      }
      const { parallelismMax, rateMax } = await keyOf(service, "newest");
      assert.deepEqual([parallelismMax, rateMax], [0, 9]);
    });

    test("a paused key starts nothing, and goes on when it is resumed", async () => {
      const { service, destination } = journey;
      await set(service, "held", "/pause");
      await set(service, "held", "/pause");
      for (let count = 0; count < 3; count++) {
        await service.publish(`${destination.url}/held`, under("held", "parallelism=2"));
      }
      await service.publish(`${destination.url}/free`);
      await destination.received("/free");
      const held = await keyOf(service, "held");
      assert.deepEqual([held["isPaused"], held["waitListSize"]], [true, 3]);
      assert.equal(held["parallelismMax"], 2);
      assert.deepEqual(destination.to("/held"), []);
      await set(service, "held", "/resume");
      await destination.received("/held", 3);
      assert.equal((await keyOf(service, "held"))["isPaused"], false);
    });

    test("what is pinned outlasts what is published, until it is unpinned", async () => {
      const { service, destination } = journey;
      const publish = (value: string): Promise<string> =>
        service.publish(`${destination.url}/pinned`, under("pinned", value));
      await set(service, "pinned", "/pin?parallelism=7");
      await publish("parallelism=2, rate=4, period=2s");
      const half = await keyOf(service, "pinned");
      assert.deepEqual([half["parallelismMax"], half["rateMax"], half["ratePeriod"]], [7, 4, 2]);
      assert.deepEqual([half["isPinnedParallelism"], half["isPinnedRate"]], [true, false]);
      await set(service, "pinned", "/pin?rate=50&period=604800");
      await publish("parallelism=2, rate=4, period=2s");
      const whole = await keyOf(service, "pinned");
      assert.deepEqual([whole["rateMax"], whole["ratePeriod"]], [50, 604_800]);
      await set(service, "pinned", "/unpin?parallelism=true");
      assert.equal((await keyOf(service, "pinned"))["parallelismMax"], 7);
      await publish("parallelism=2, rate=4");
      const { parallelismMax, rateMax, isPinnedParallelism, isPinnedRate } = await keyOf(
        service,
        "pinned",
      );
      assert.deepEqual([parallelismMax, rateMax], [2, 50]);
      assert.deepEqual([isPinnedParallelism, isPinnedRate], [false, true]);
      await set(service, "pinned", "/unpin?rate=true");
      await publish("rate=4");
      assert.equal((await keyOf(service, "pinned"))["rateMax"], 4);
    });

    for (const verb of ["/resetRate", "/reset"]) {
      test(`${verb} lets what waits for the rate start at once`, async () => {
        const { service, destination } = journey;
        const key = `rated${verb}`;
        const to = `/rated${verb}`;
        for (let count = 0; count < 3; count++) {
          await service.publish(`${destination.url}${to}`, under(key, "rate=1, period=1d"));
        }
        await destination.received(to);
        const { rateCount, ratePeriodStart, waitListSize } = await keyOf(service, key);
        assert.deepEqual([rateCount, waitListSize], [1, 2]);
        assert.ok(Math.abs(Number(ratePeriodStart) - Date.now() / 1000) < 60);
        await set(service, key, verb);
        await destination.received(to, 2);
        await set(service, key, "/pause");
        await set(service, key, verb);
        assert.equal((await keyOf(service, key))["rateCount"], 0);
        await set(service, key, "/resume");
        await destination.received(to, 3);
      });
    }

    test("a higher limit lets those that wait start, though its own message is delayed", async () => {
      const { service, destination } = journey;
      const url = `${destination.url}/raised`;
      for (let count = 0; count < 3; count++) {
        await service.publish(url, under("raised", "rate=1, period=1d"));
      }
      await destination.received("/raised");
      const delayed = { ...under("raised", "rate=3, period=1d"), [`${prefix}-Delay`]: "1h" };
      await service.publish(url, delayed);
      await destination.received("/raised", 3);
    });

    test("keys are listed by name, and found by a part of it", async () => {
      const { service, destination } = journey;
      for (const key of ["list-b", "list-a", "other", "List-c"]) {
        await service.publish(`${destination.url}/list`, under(key, "rate=100"));
      }
      const names = async (query: string): Promise<unknown[]> =>
        (await service.all(`/v2/flowControl${query}`)).map((each) => each["flowControlKey"]);
      assert.deepEqual(await names("?search=list-"), ["list-a", "list-b"]);
      assert.deepEqual(await names("?search=%25"), []);
      const all = await names("");
      assert.deepEqual(all, all.map(String).toSorted());
      for (const key of ["List-c", "other"]) assert.ok(all.includes(key), key);
      assert.deepEqual(await names("/"), all);
    });

    test("a key may hold what a path seldom does", async () => {
      const { service, destination } = journey;
      for (const key of ["k/1 2", "a/pause", "pause", "50%+", "é", "k/"]) {
        const encoded = key.split("/").map(encodeURIComponent).join("/");
        await service.publish(`${destination.url}/odd`, under(key, "rate=100"));
        await set(service, encoded, "/PAUSE");
        const shown = await keyOf(service, encoded);
        assert.deepEqual([shown["flowControlKey"], shown["isPaused"]], [key, true]);
      }
      await set(service, "50%25+", "/resume");
      assert.equal((await keyOf(service, "50%25%2B"))["isPaused"], false);
    });

    test("a key that clients take out of a path is refused", async () => {
      const { service, destination } = journey;
      const publish = `POST /v2/publish/${destination.url}/never`;
      for (const key of [".", ".."]) {
        const names = /^(Svc|Upstash)-Flow-Control-Key: must be other than \. and \.\.$/;
        await service.refused(publish, 400, names, { headers: under(key, "rate=1") });
        const callback = {
          "Svc-Callback": `${destination.url}/never`,
          "Svc-Callback-Flow-Control-Key": key,
          "Svc-Callback-Flow-Control-Value": "rate=1",
        };
        const ofCallback = /^Svc-Callback-Flow-Control-Key: must be other/;
        await service.refused(publish, 400, ofCallback, { headers: callback });
      }
    });

    test("a key that was never used is not found, nor is another account's", async () => {
      const { service } = journey;
      const missing = { status: 404, error: "flow-control key nobody not found" };
      const calls: [method: string, verb: string][] = [
        ["GET", ""],
        ["POST", "/resume"],
        ["POST", "/unpin?rate=true"],
        ["POST", "/resetRate"],
        ["POST", "/reset"],
      ];
      for (const [method, verb] of calls) {
        const { status, json } = await service.call(method, path("nobody", verb));
        assert.deepEqual({ status, error: json["error"] }, missing, verb);
      }
      await set(service, "mine", "/pause");
      const stranger = { token: OTHER_TOKEN };
      for (const [method, verb] of calls) {
        const mine = await service.call(method, path("mine", verb), stranger);
        const none = await service.call(method, path("none", verb), stranger);
        assert.equal(mine.status, 404);
        assert.equal(mine.text.replace("mine", "none"), none.text);
      }
      const list = await service.call("GET", "/v2/flowControl", stranger);
      assert.equal(list.text, "[]");
    });

    test("the account's attempts under way are counted over all keys", async () => {
      const { service, destination } = journey;
      const release = destination.hold();
      for (const key of ["g1", "g2"]) {
        await service.publish(`${destination.url}/global`, under(key, "parallelism=1"));
      }
      await destination.received("/global", 2);
      const counted = await service.get("/v2/globalParallelism");
      assert.deepEqual(counted, { parallelismMax: 0, parallelismCount: 2 });
      assert.equal((await keyOf(service, "g1"))["parallelismCount"], 1);
      release();
      await until(
        async () => (await service.get("/v2/globalParallelism"))["parallelismCount"] === 0,
        "nothing under way",
      );
    });
  });
}
