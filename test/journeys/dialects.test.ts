/** Which headers a message is delivered with, and that receivers of either kind verify them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Receiver } from "../../sdk/src/sdk.ts";
import { Client as PublicClient } from "@upstash/qstash";
import type { Received } from "../support/destination-server.ts";
import { type Journey, journeys } from "../support/journeys.ts";
import { verifyWithPublicReceivers } from "../support/public-receivers.ts";

const BOTH = "both";

journeys("what no header names", {}, (journey) => {
  test("a publish arrives with both sets of headers and one signature", async () => {
    const { service, destination } = journey;
    const messageId = await service.publish(`${destination.url}/plain?a=1`, {}, "{}");
    const [request] = await destination.received("/plain");
    const { headers } = request;
    assert.equal(headers["svc-signature"], headers["upstash-signature"]);
    for (const prefix of ["svc", "upstash"]) {
      assert.equal(headers[`${prefix}-message-id`], messageId);
      assert.equal(headers[`${prefix}-retried`], "0");
      assert.equal(headers[`${prefix}-caller-ip`], "127.0.0.1");
      assert.equal(headers[`${prefix}-region`], "LOCAL");
      assert.equal(headers[`${prefix}-hop`], "1");
    }
    assert.equal(headers["user-agent"], "Postrider");
    await verifyEverywhere(journey, request);
  });

  test("an empty body and text outside of ASCII are verified too", async () => {
    const { service, destination } = journey;
    await service.publish(`${destination.url}/empty`);
    await service.publish(`${destination.url}/text`, {}, "grüße, 世界");
    for (const path of ["/empty", "/text"]) {
      const [request] = await destination.received(path);
      await verifyEverywhere(journey, request);
    }
  });

  test("an enqueued message, an item of a batch and a message to a group do as well", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    await service.enqueue("dialects", `${url}/queued`);
    await service.batch([
      { destination: `${url}/item`, body: "1" },
      { destination: `${url}/item-queued`, queue: "dialects" },
    ]);
    await service.addEndpoints("plain-group", `${url}/endpoint`);
    await service.call("POST", "/v2/publish/plain-group");
    for (const path of ["/queued", "/item", "/item-queued", "/endpoint"]) {
      const [request] = await destination.received(path);
      await verifyEverywhere(journey, request);
    }
    const [{ headers }] = await destination.received("/endpoint");
    assert.equal(headers["svc-topic-name"], "plain-group");
    assert.equal(headers["upstash-topic-name"], "plain-group");
  });

  test("retries, the dead letter and its repetition keep both", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }, nth) => ({ status: url === "/dies" && nth < 3 ? 500 : 200 });
    await service.limit({ retriesDefault: 1 });
    const messageId = await service.publish(`${destination.url}/dies`);
    await service.logUntil(messageId, "RETRY");
    await service.call("POST", `/v2/messages/${messageId}/retry`);
    const { dlqId } = await service.deadLetterOf(messageId);
    const retried = await service.call("POST", `/v2/dlq/retry/${dlqId}`, {
      headers: { "Svc-Retries": "0" },
    });
    assert.equal(retried.status, 201, retried.text);
    const requests = await destination.received("/dies", 3);
    for (const request of requests) await verifyEverywhere(journey, request);
    assert.equal(requests[1]!.headers["svc-retried"], "1");
    assert.equal(requests[1]!.headers["upstash-retried"], "1");
    destination.respond = () => ({});
  });

  test("headers of a delivery that a receiver passes back name nothing and are no mistake", async () => {
    const { service, destination } = journey;
    await service.publish(`${destination.url}/passed-on`);
    const [{ headers }] = await destination.received("/passed-on");
    const passed = Object.entries(headers).filter(([name]) => /^(svc|upstash)-/.test(name));
    assert.equal(passed.length, 12);
    await service.publish(`${destination.url}/passed-back`, Object.fromEntries(passed));
    const [request] = await destination.received("/passed-back");
    assert.equal(request.headers["svc-hop"], "2");
    assert.equal(request.headers["upstash-hop"], "2");
    await verifyEverywhere(journey, request);
  });

  test("what tells of an error in the answer may have either prefix", async () => {
    const { service, destination } = journey;
    for (const prefix of ["Svc", "Upstash"]) {
      const path = `/final-${prefix}`;
      const headers = { [`${prefix}-NonRetryable-Error`]: "true" };
      destination.respond = ({ url }) => (url === path ? { status: 489, headers } : {});
      const messageId = await service.publish(`${destination.url}${path}`);
      await service.deadLetterOf(messageId);
      assert.equal(destination.to(path).length, 1);
    }
    destination.respond = () => ({});
  });
});

journeys("what a header names", {}, (journey) => {
  const cases: Readonly<Record<string, readonly [Record<string, string>, string]>> = {
    "one of ours": [{ "Svc-Retries": "0" }, "svc"],
    "one of theirs": [{ "Upstash-Retries": "0" }, "upstash"],
    "a forwarded one": [{ "Upstash-Forward-X-Own": "1" }, "upstash"],
    telemetry: [{ "Upstash-Telemetry-Sdk": "py" }, "upstash"],
    "telemetry beside one of ours": [{ "Upstash-Telemetry-Sdk": "py", "Svc-Retries": "0" }, "svc"],
    "what a delivery had": [{ "Upstash-Message-Id": "msg_1", "Svc-Signature": "a.b.c" }, BOTH],
  };
  for (const [name, [headers, dialect]] of Object.entries(cases)) {
    test(`${name}: ${dialect}`, async () => {
      const { service, destination } = journey;
      const path = `/${encodeURIComponent(name)}`;
      await service.publish(`${destination.url}${path}`, headers);
      const [request] = await destination.received(path);
      assert.equal(dialectOf(request), dialect);
    });
  }

  test("the query names it too", async () => {
    const { service, destination } = journey;
    await service.publish(`${destination.url}/query?upstash-retries=0`);
    assert.equal(dialectOf((await destination.received("/query"))[0]), "upstash");
  });

  test("in a batch the item wins, then the request, then the group, then telemetry", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    await service.addEndpoints("named-group", `${url}/grouped`);
    await service.call("PATCH", "/v2/topics/named-group", {
      body: JSON.stringify({ headers: { "Svc-Retries": "1" } }),
    });
    const items = [
      { destination: `${url}/own`, headers: { "Svc-Retries": "0" } },
      { destination: `${url}/none` },
      { destination: "named-group" },
    ];
    const expected: readonly (readonly [Record<string, string>, readonly string[]])[] = [
      [{}, ["svc", BOTH, "svc"]],
      [{ "Upstash-Retries": "7" }, ["svc", "upstash", "upstash"]],
      [{ "Upstash-Telemetry-Sdk": "py" }, ["svc", "upstash", "svc"]],
      [{ "Svc-Delay": "1h", "Upstash-Delay": "1h" }, ["svc", BOTH, "svc"]],
      [{ "Upstash-Message-Id": "msg_1" }, ["svc", BOTH, "svc"]],
    ];
    for (const [index, [headers, dialects]] of expected.entries()) {
      const answer = await service.call("POST", "/v2/batch", {
        headers,
        body: JSON.stringify(items),
      });
      assert.equal(answer.status, 200, answer.text);
      const arrived = await Promise.all(
        ["/own", "/none", "/grouped"].map((path) => destination.received(path, index + 1)),
      );
      assert.deepEqual(
        arrived.map((requests) => dialectOf(requests[index]!)),
        dialects,
        JSON.stringify(headers),
      );
    }
  });

  test("the headers of a group name it for what is published to the group", async () => {
    const { service, destination } = journey;
    await service.addEndpoints("their-group", `${destination.url}/theirs`);
    await service.call("PATCH", "/v2/topics/their-group", {
      body: JSON.stringify({ headers: { "Upstash-Retries": "1" } }),
    });
    await service.call("POST", "/v2/publish/their-group");
    const [request] = await destination.received("/theirs");
    assert.equal(dialectOf(request), "upstash");
  });

  test("a callback, also of a failure, comes as its message did", async () => {
    const { service, destination } = journey;
    const { url } = destination;
    destination.respond = ({ url: path }) => ({ status: path.startsWith("/fails") ? 500 : 200 });
    await service.addEndpoints("reported", `${url}/fails-in-group`);
    for (const prefix of ["Svc", "Upstash"]) {
      const path = `/fails-${prefix}`;
      await service.publish(`${url}${path}`, {
        [`${prefix}-Retries`]: "0",
        [`${prefix}-Callback`]: `${url}/callback-${prefix}`,
        [`${prefix}-Failure-Callback`]: `${url}/failure-${prefix}`,
      });
      for (const kind of ["callback", "failure"]) {
        const [request] = await destination.received(`/${kind}-${prefix}`);
        assert.equal(dialectOf(request), prefix.toLowerCase());
      }
    }
    destination.respond = () => ({});
  });

  test("the public client and ours each name their own, with and without settings", async () => {
    const { service, destination } = journey;
    const { url: baseUrl, token } = service;
    const { url } = destination;
    const ours = new Client({ baseUrl, token });
    const theirs = new PublicClient({ baseUrl, token, enableTelemetry: false });
    await ours.publish({ url: `${url}/ours/publish` });
    await ours.publishJSON({ url: `${url}/ours/json`, body: 1, retries: 1 });
    await ours.batch([{ url: `${url}/ours/batch` }]);
    await ours.queue("sdk-dialects").enqueue({ url: `${url}/ours/queue` });
    await theirs.publish({ url: `${url}/theirs/publish` });
    await theirs.batch([{ url: `${url}/theirs/batch` }]);
    for (const path of ["publish", "json", "batch", "queue"]) {
      assert.equal(dialectOf((await destination.received(`/ours/${path}`))[0]), "svc", path);
    }
    for (const path of ["publish", "batch"]) {
      const [request] = await destination.received(`/theirs/${path}`);
      assert.equal(dialectOf(request), "upstash", path);
    }
  });

  test("our client leaves the method of a group alone", async () => {
    const { service, destination } = journey;
    await service.addEndpoints("put-group", `${destination.url}/put-group`);
    await service.call("PATCH", "/v2/topics/put-group", {
      body: JSON.stringify({ headers: { "Svc-Method": "PUT" } }),
    });
    await service.addEndpoints("bare-group", `${destination.url}/bare-group`);
    const client = new Client({ baseUrl: service.url, token: service.token });
    await client.publish({ urlGroup: "put-group" });
    await client.publish({ urlGroup: "bare-group" });
    const [put] = await destination.received("/put-group");
    assert.equal(put.method, "PUT");
    assert.equal(dialectOf((await destination.received("/bare-group"))[0]), "svc");
  });
});

for (const dialect of ["svc", "upstash"] as const) {
  journeys(`--dialect ${dialect}`, { flags: { dialect } }, (journey) => {
    test("decides for what names none, and for nothing else", async () => {
      const { service, destination } = journey;
      const other = dialect === "svc" ? "upstash" : "svc";
      await service.publish(`${destination.url}/unnamed`);
      await service.publish(`${destination.url}/named`, { [`${other}-Retries`]: "0" });
      assert.equal(dialectOf((await destination.received("/unnamed"))[0]), dialect);
      assert.equal(dialectOf((await destination.received("/named"))[0]), other);
    });

    test("an account may choose otherwise, and go back", async () => {
      const { service, destination } = journey;
      const path = "/v2/svc/set-dialect/defaultUser";
      for (const [chosen, expected] of [
        ["both", "both"],
        ["svc", "svc"],
        ["upstash", "upstash"],
        [null, dialect],
      ] as const) {
        const answer = await service.console("POST", path, { send: { dialect: chosen } });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json["dialect"], chosen);
        assert.equal((await service.get("/v2/account"))["dialect"], chosen);
        const sentTo = `/account-${chosen}`;
        await service.publish(`${destination.url}${sentTo}`);
        assert.equal(dialectOf((await destination.received(sentTo))[0]), expected);
      }
      for (const wrong of ["Svc", "", 1, undefined]) {
        const answer = await service.console("POST", path, { send: { dialect: wrong } });
        assert.equal(answer.status, 400);
        assert.match(String(answer.json["error"]), /^dialect: must be one of svc, upstash, both/);
      }
    });
  });
}

/** `svc`, `upstash` or `both`, by every header of ours that a delivery has. */
function dialectOf({ headers }: Received): string {
  const names = Object.keys(headers);
  const has = (prefix: string): boolean => names.some((name) => name.startsWith(prefix));
  const found = ["svc", "upstash"].filter((name) => has(`${name}-`));
  for (const name of found) assert.ok(headers[`${name}-signature`], `${name}-signature`);
  return found.length === 2 ? BOTH : (found[0] ?? "none");
}

/** The receivers of the public clients accept it, and ours does. */
async function verifyEverywhere({ service, destination }: Journey, request: Received) {
  assert.equal(dialectOf(request), BOTH);
  await verifyWithPublicReceivers(request, destination.url, service.credentials);
  const signature = request.headers["svc-signature"]!;
  const url = `${destination.url}${request.url}`;
  const receiver = new Receiver(service.credentials);
  assert.ok(await receiver.verify({ signature, body: request.body, url }));
  const sent = new Request(url, {
    method: "POST",
    headers: request.headers,
    body: new Uint8Array(request.body),
  });
  assert.equal((await receiver.verifyRequest(sent, { url })).body, request.body.toString());
}
