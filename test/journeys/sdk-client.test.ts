/** Our own client against the service. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, NotFoundError, Receiver, UnauthorizedError } from "../../sdk/src/sdk.ts";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import { eventually } from "../support/eventually.ts";

journeys("the client of the SDK", {}, (journey) => {
  let client: Client;
  before(() => {
    const { url, token } = journey.service;
    client = new Client({ baseUrl: `${url}/`, token, headers: { "X-App": "journey" } });
  });

  test("publishes, and its receiver accepts the signature", async () => {
    const { service, destination } = journey;
    const url = `${destination.url}/signed?x=1&y=%20z`;
    const { messageId } = await client.publishJSON({
      url,
      body: { hello: "wörld" },
      headers: { "X-Own": "yes" },
    });
    const [request] = await destination.received("/signed");
    assert.equal(request.url, "/signed?x=1&y=%20z");
    assert.equal(request.headers["svc-message-id"], messageId);
    assert.equal(request.headers["x-own"], "yes");
    assert.equal(request.headers["x-app"], "journey");
    assert.equal(request.headers["content-type"], "application/json");
    assert.equal(textOf(request), '{"hello":"wörld"}');
    const { currentSigningKey, nextSigningKey } = service.credentials;
    const receiver = new Receiver({ currentSigningKey, nextSigningKey });
    const signature = request.headers["svc-signature"] ?? "";
    assert.equal(await receiver.verify({ signature, body: request.body, url }), true);
    await assert.rejects(receiver.verify({ signature, body: "other", url }), /body/);
    await assert.rejects(receiver.verify({ signature, body: request.body, url: `${url}1` }));
  });

  test("publishes in the dialect of another prefix", async () => {
    const { service, destination } = journey;
    const { url: baseUrl, token } = service;
    const other = new Client({ baseUrl, token, headerPrefix: "Upstash-", headers: { "X-A": "1" } });
    const url = `${destination.url}/dialect`;
    const settings = { url, retries: 0, label: "dialect", headers: { "X-Own": "yes" } };
    await other.publish({ ...settings, body: "one" });
    await other.batch([{ ...settings, body: "two" }]);
    const receiver = new Receiver(service.credentials);
    for (const { headers, body } of await destination.received("/dialect", 2)) {
      assert.equal(headers["x-own"], "yes");
      assert.equal(headers["svc-signature"], undefined);
      const signature = headers["upstash-signature"]!;
      const signed = { "Upstash-Signature": signature };
      const request = new Request(url, { method: "POST", headers: signed, body: body.toString() });
      assert.equal((await receiver.verifyRequest(request)).body, body.toString());
    }
  });

  test("sends bytes as they are, with the method that was asked for", async () => {
    const { destination } = journey;
    const body = new Uint8Array([0, 255, 10]);
    await client.publish({ url: `${destination.url}/bytes`, body, method: "PUT" });
    const [request] = await destination.received("/bytes");
    assert.equal(request.method, "PUT");
    assert.deepEqual(request.body, Buffer.from(body));
  });

  test("is told about duplicates", async () => {
    const message = { url: `${journey.destination.url}/once`, deduplicationId: "once" };
    const first = await client.publish(message);
    assert.equal(first.deduplicated, undefined);
    assert.deepEqual(await client.publish(message), { ...first, deduplicated: true });
  });

  test("lists, reads, retries and deletes dead letters", async () => {
    const { destination } = journey;
    destination.respond = () => ({ status: 400, body: "no" });
    for (const path of ["/d1", "/d2", "/d3", "/d4"]) {
      await client.publish({ url: `${destination.url}${path}`, body: path, retries: 0 });
    }
    const letters = await eventually(async () => {
      const { items } = await client.dlq.list();
      return items.length === 4 ? items : null;
    }, "four dead letters");
    const ids = letters.map(({ dlqId }) => dlqId);
    assert.deepEqual(await client.dlq.get(ids[0]!), letters[0]);
    assert.equal(letters[0]?.responseBody, "no");
    destination.respond = () => ({});
    const { responses } = await client.dlq.retry(ids[0]!, { label: "again" });
    assert.deepEqual((await client.messages.get(responses[0]!.messageId)).labels, ["again"]);
    await destination.received("/d4", 2);
    assert.equal((await client.dlq.retry([ids[1]!])).responses.length, 1);
    await destination.received("/d3", 2);
    assert.equal((await client.dlq.delete(ids[2]!)).deleted, 1);
    await assert.rejects(client.dlq.delete(ids[2]!), NotFoundError);
    await assert.rejects(client.dlq.delete({ filter: {} }), /all: true/);
    const first = { filter: { url: `${destination.url}/d1` } };
    assert.equal((await client.dlq.delete(first)).deleted, 1);
    assert.deepEqual((await client.dlq.list()).items, []);
  });

  test("publishes to URL groups, in batches and to queues", async () => {
    const { destination } = journey;
    const endpoints = [
      { url: `${destination.url}/g1`, name: "first" },
      { url: `${destination.url}/g2` },
    ];
    await client.urlGroups.addEndpoints("group", endpoints);
    assert.equal((await client.topics.get("group")).endpoints.length, 2);
    const published = await client.publish({ urlGroup: "group", body: "x" });
    assert.deepEqual(
      published.map(({ url }) => url),
      endpoints.map(({ url }) => url),
    );
    await Promise.all(["/g1", "/g2"].map((path) => destination.received(path)));
    await client.urlGroups.removeEndpoints("group", [{ name: "first" }]);
    assert.deepEqual(
      (await client.urlGroups.list()).items.map(({ endpoints: left }) => left.length),
      [1],
    );
    await client.urlGroups.delete("group");
    const answers = await client.batchJSON([
      { url: `${destination.url}/b1`, body: { n: 1 } },
      { url: `${destination.url}/b2`, body: "text", queueName: "line" },
    ]);
    assert.equal(answers.length, 2);
    const [second] = await destination.received("/b2");
    assert.equal(textOf(second), '"text"');
    await destination.received("/b1");
  });

  test("makes, shows, pauses and removes queues", async () => {
    const { destination } = journey;
    const queue = client.queue("mails");
    await queue.upsert({ parallelism: 2, paused: true });
    const { messageId } = await queue.enqueueJSON({ url: `${destination.url}/mail`, body: [1] });
    assert.equal((await client.messages.get(messageId)).queueName, "mails");
    const shown = await queue.get();
    assert.deepEqual(
      [shown.name, shown.parallelism, shown.paused, shown.lag],
      ["mails", 2, true, 1],
    );
    await queue.resume();
    await destination.received("/mail");
    await queue.pause();
    assert.ok((await client.queues.list()).items.some(({ name }) => name === "mails"));
    await queue.delete();
    await assert.rejects(queue.get(), NotFoundError);
  });

  test("makes, shows, pauses and removes schedules", async () => {
    const destination = `${journey.destination.url}/tick`;
    const schedule = { destination, cron: "0 0 1 1 *", body: "tick", retries: 1, label: "yearly" };
    const { scheduleId } = await client.schedules.create(schedule);
    const named = { ...schedule, scheduleId: "named", queueName: "ticks" };
    assert.deepEqual(await client.schedules.create(named), { scheduleId: "named" });
    const shown = await client.schedules.get(scheduleId);
    assert.deepEqual(
      [shown.cron, shown.destination, shown.body, shown.retries, shown.labels],
      ["0 0 1 1 *", destination, "tick", 1, ["yearly"]],
    );
    await client.schedules.pause(scheduleId);
    assert.equal((await client.schedules.get(scheduleId)).isPaused, true);
    await client.schedules.resume(scheduleId);
    const listed: string[] = [];
    for await (const { scheduleId: id } of await client.schedules.list({ count: 1 })) {
      listed.push(id);
    }
    assert.deepEqual(listed.toSorted(), [scheduleId, "named"].toSorted());
    const published = await client.schedules.runNow(scheduleId);
    assert.ok("messageId" in published);
    assert.equal((await client.messages.get(published.messageId)).scheduleId, scheduleId);
    await journey.destination.received("/tick");
    const [first, second] = await client.schedules.preview("CRON_TZ=Europe/Paris 0 9 1 * *", 2);
    assert.match(String(first?.toISOString()), /-01T0[78]:00:00.000Z$/);
    assert.ok(first! < second!);
    await assert.rejects(client.schedules.preview("often"), /cron/);
    await client.schedules.delete(scheduleId);
    await assert.rejects(client.schedules.get(scheduleId), NotFoundError);
  });

  test("shows and sets keys of flow control", async () => {
    const { destination } = journey;
    const flowControl = { key: "a/key with blanks", parallelism: 3, rate: 100, period: "1m" };
    await client.publish({ url: `${destination.url}/flow`, flowControl });
    const { key } = flowControl;
    const shown = await client.flowControl.get(key);
    assert.deepEqual([shown.parallelismMax, shown.rateMax, shown.ratePeriod], [3, 100, 60]);
    await client.flowControl.pause(key);
    assert.equal((await client.flowControl.get(key)).isPaused, true);
    await client.flowControl.resume(key);
    await client.flowControl.pin(key, { parallelism: 7, rate: 5, period: "1h1m" });
    const pinned = await client.flowControl.get(key);
    assert.deepEqual([pinned.parallelismMax, pinned.isPinnedParallelism], [7, true]);
    assert.deepEqual([pinned.rateMax, pinned.ratePeriod, pinned.isPinnedRate], [5, 3_660, true]);
    await client.flowControl.unpin(key, { parallelism: true, rate: true });
    await client.flowControl.resetRate(key);
    const { items: keys } = await client.flowControl.list();
    assert.deepEqual(
      keys.map(({ flowControlKey }) => flowControlKey),
      [key],
    );
    assert.equal(
      typeof (await client.flowControl.getGlobalParallelism()).parallelismCount,
      "number",
    );
  });

  test("reads and rotates the signing keys", async () => {
    const keys = await client.keys.get();
    const rotated = await client.keys.rotate();
    assert.equal(rotated.current, keys.next);
    assert.deepEqual(await client.keys.get(), rotated);
  });

  test("shows the account, and adds and revokes tokens", async () => {
    const { access, usage } = await client.account.get();
    assert.deepEqual([access, usage.length > 0], ["full", true]);
    const added = await client.account.addToken({
      name: "ci",
      scope: "read-only",
      expiresIn: "30d",
    });
    const reader = new Client({ baseUrl: journey.service.url, token: added.token });
    assert.equal((await reader.account.get()).access, "read-only");
    const names = (await client.account.tokens()).map(({ name }) => name);
    assert.deepEqual(names, ["main", "read-only", "ci"]);
    await client.account.revokeToken(added.id);
    await assert.rejects(reader.account.get(), UnauthorizedError);
    // @ts-expect-error: there is no such option
    assert.throws(() => client.account.addToken({ name: "a", scopes: "full" }), /scopes/);
  });

  test("is refused with the sentences of the service", async () => {
    const stranger = new Client({ baseUrl: journey.service.url, token: "wrong" });
    await assert.rejects(stranger.keys.get(), UnauthorizedError);
    const bad = client.publish({ url: "ftp://example.com" });
    await assert.rejects(bad, { name: "ApiError", status: 400, code: "invalid-request" });
  });
});
