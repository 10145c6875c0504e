/** The log as it is written, for those who listen. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";

import { startTwoNodes } from "../support/two-nodes.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import { freshAccount } from "../support/console-call.ts";
import { until } from "../support/eventually.ts";
import { EventStream } from "../support/event-stream.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { TestService } from "../support/service-harness.ts";

const MESSAGES = 600;

journeys("live stream", {}, (journey) => {
  test("entries come in order, as the list shows them", async (t) => {
    const { service, destination } = journey;
    const stream = await listen(service);
    t.after(() => stream.close());
    assert.equal(stream.status, 200);
    assert.equal(stream.headers["content-type"], "text/event-stream");
    const ids = await publishMany(service, `${destination.url}/ordered`, 29);
    const redacted = { "Svc-Redact-Fields": "body" };
    ids.push(await service.publish(`${destination.url}/ordered`, redacted, "a secret"));
    await stream.until(({ logged }) => deliveredOf(logged) >= 30, "30 delivered");
    for (const id of ids) {
      const sent = stream.logged.filter(({ messageId }) => messageId === id);
      assert.deepEqual(sent, await service.log(id));
    }
    assert.equal(stream.logged.length, 3 * ids.length);
    const secret = Buffer.from("a secret").toString("base64");
    assert.ok(!JSON.stringify(stream.events).includes(secret));
  });

  test("a listener that comes back misses nothing, and gets nothing twice", async (t) => {
    const { service, destination } = journey;
    const all = await listen(service);
    t.after(() => all.close());
    const seen: { id: string | undefined; data: Item }[] = [];
    const seenData = (): Item[] => seen.map(({ data }) => data);
    let stream = await listen(service);
    const publishing = publishMany(service, `${destination.url}/resumed`, 120);
    for (;;) {
      const enough = 20 + Math.floor(seen.length / 4);
      await stream.until(
        ({ logged }) => logged.length >= enough || deliveredOf([...seenData(), ...logged]) >= 120,
        `${enough} entries`,
      );
      stream.close();
      seen.push(...stream.events);
      if (deliveredOf(seenData()) >= 120) break;
      stream = await listen(service, seen.at(-1)?.id);
    }
    await publishing;
    await all.until(({ logged }) => deliveredOf(logged) >= 120, "120 delivered");
    const ofAll = all.events.map(({ id }) => id);
    const ofSeen = seen.map(({ id }) => id);
    assert.equal(new Set(ofSeen).size, ofSeen.length, "nothing twice");
    assert.deepEqual(ofSeen, ofAll);
  });

  test("an account hears nothing of another", async (t) => {
    const { service, destination } = journey;
    const other = await freshAccount(service.url);
    const stream = await EventStream.open(service.url, other.token);
    t.after(() => stream.close());
    await publishMany(service, `${destination.url}/not-theirs`, 5);
    await other.publish(`${destination.url}/theirs`);
    await stream.until(({ logged }) => deliveredOf(logged) === 1, "its own message");
    assert.deepEqual(
      new Set(stream.logged.map(({ url }) => url)),
      new Set([`${destination.url}/theirs`]),
    );
  });

  test("a listener that does not read is skipped, and told how much", async (t) => {
    const { service, destination } = journey;
    const fast = await listen(service);
    const slow = await EventStream.connect(service.url, service.token);
    t.after(() => {
      fast.close();
      slow.close();
    });
    await publishMany(service, `${destination.url}/slow`, MESSAGES, "x".repeat(10_000));
    await fast.until(({ logged }) => deliveredOf(logged) >= MESSAGES, `${MESSAGES} delivered`);
    assert.equal(fast.events.length, 3 * MESSAGES, "nothing is skipped");
    slow.listen();
    const last = fast.events.at(-1)?.id;
    await slow.until(({ events }) => events.at(-1)?.id === last, "the last entry");
    const skipped = slow.events.filter(({ event }) => event === "lag");
    assert.ok(skipped.length > 0, "nothing was skipped");
    const sum = skipped.reduce((total, { data }) => total + (data["skipped"] as number), 0);
    assert.equal(slow.logged.length + sum, fast.logged.length);
  });

  test("a listener that closes its side is told why its stream ends, and leaves its place", async () => {
    const { service } = journey;
    const { token } = await freshAccount(service.url, { limits: { max_streams: 1 } });
    const head = `GET /v2/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    for (const closesAtOnce of [true, false]) {
      const said = await sayHalfClosed(service.url, head, closesAtOnce);
      assert.match(said, /^HTTP\/1\.1 200 [^]*event: end\ndata: \{"error":"the client closed/);
    }
    const next = await EventStream.open(service.url, token);
    assert.equal(next.status, 200);
    next.close();
  });

  test("no more streams are open than the account may have", async (t) => {
    const { service } = journey;
    const { token } = await freshAccount(service.url, { limits: { max_streams: 2 } });
    const open = await Promise.all([1, 2].map(() => EventStream.open(service.url, token)));
    t.after(() => open.forEach((stream) => stream.close()));
    assert.deepEqual(
      open.map(({ status }) => status),
      [200, 200],
    );
    await service.refused("GET /v2/stream", 429, /quota maxStreams exceeded, current limit: 2/, {
      token,
    });
    open[0]!.close();
    await until(async () => {
      const next = await EventStream.connect(service.url, token);
      t.after(() => next.close());
      return next.status === 200;
    }, "room for one more");
  });

  test("a bad position is refused by name, and HEAD ends at once", async () => {
    const { service } = journey;
    for (const given of ["1", "soon", "9".repeat(60)]) {
      await service.refused("GET /v2/stream", 400, /Last-Event-ID: /, {
        headers: { "Last-Event-ID": given },
      });
    }
    assert.equal(await service.status("HEAD", "/v2/stream"), 200);
    assert.equal(await service.status("GET", "/v2/stream", { token: "wrong" }), 401);
  });

  test("a stream ends once its account is suspended, or its token is replaced", async (t) => {
    const { service } = journey;
    const [suspended, replaced] = [
      await freshAccount(service.url),
      await freshAccount(service.url),
    ];
    const other = await EventStream.open(service.url, service.token);
    const streams = await Promise.all(
      [suspended, replaced].map(({ token }) => EventStream.open(service.url, token)),
    );
    t.after(() => [other, ...streams].forEach((stream) => stream.close()));
    await service.console("POST", `/v2/svc/suspend/${suspended.id}`);
    await replaced.call("POST", "/v2/account/rotate-token");
    const heartbeats = streams.map((stream) => stream.heartbeats);
    for (const stream of streams) await stream.until(({ isEnded }) => isEnded, "the end");
    const ends = streams.map(({ events }) => [events.at(-1)?.event, events.at(-1)?.data["error"]]);
    assert.match(String(ends[0]), /^end,this account is suspended/);
    assert.match(String(ends[1]), /^end,unable to authenticate/);
    assert.equal(other.isEnded, false);
    const later = streams.map((stream) => stream.heartbeats);
    assert.deepEqual(later, heartbeats, "well before a heartbeat");
  });

  test("a stream that is never idle ends once its token is revoked", async (t) => {
    const { service, destination } = journey;
    const account = await freshAccount(service.url);
    const named = await account.call("POST", "/v2/account/tokens", {
      body: '{"name":"listener","scope":"read-only"}',
    });
    const { id, token } = named.json as Record<string, string>;
    const [stream, other] = await Promise.all([
      EventStream.open(service.url, token!),
      EventStream.open(service.url, account.token),
    ]);
    t.after(() => [stream, other].forEach((each) => each.close()));
    const over = new AbortController();
    const publishing = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) await account.publish(`${destination.url}/busy`);
    });
    try {
      await stream.until(({ logged }) => logged.length > 20, "a busy stream");
      assert.equal(await account.status("DELETE", `/v2/account/tokens/${id}`), 200);
      await stream.until(({ isEnded }) => isEnded, "the end");
    } finally {
      over.abort();
      await Promise.all(publishing);
    }
    const { event, data } = stream.events.at(-1)!;
    assert.match(`${event} ${String(data["error"])}`, /^end unable to authenticate/);
    assert.equal(other.isEnded, false);
  });

  test("a stop ends streams with an event, and does not wait for them", async () => {
    const service = await TestService.start();
    const stream = await listen(service);
    const startedAt = performance.now();
    await service.stop();
    assert.ok(performance.now() - startedAt < 9_000);
    await stream.until(({ isEnded }) => isEnded, "the end");
    assert.deepEqual(stream.events.at(-1)?.event, "end");
  });
});

test(
  "a stream of one node has what every node writes, once",
  { skip: postgresMissing() },
  async (t) => {
    const destination = await DestinationServer.startFor(t);
    const [one, other] = await startTwoNodes(t);
    const stream = await listen(one);
    t.after(() => stream.close());
    const url = `${destination.url}/nodes`;
    await Promise.all([publishMany(one, url, 100), publishMany(other, url, 100)]);
    await stream.until(({ logged }) => deliveredOf(logged) >= 200, "200 delivered");
    assert.equal(stream.logged.length, 600);
    const middle = stream.events[300]?.id;
    const resumed = await listen(other, middle);
    t.after(() => resumed.close());
    await resumed.until(({ logged }) => logged.length >= 299, "the second half");
    assert.deepEqual(resumed.logged, stream.logged.slice(301));
  },
);

function listen(service: TestService, lastEventId?: string): Promise<EventStream> {
  return EventStream.open(service.url, service.token, { lastEventId });
}

/** Closes its side with the request, or with the first of the answer; returns all that the server says. */
async function sayHalfClosed(url: string, head: string, closesAtOnce: boolean): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  if (closesAtOnce) socket.end(head);
  else socket.once("data", () => socket.end()).write(head);
  return text(socket);
}

async function publishMany(
  service: TestService,
  url: string,
  count: number,
  body = "",
): Promise<string[]> {
  const ids: string[] = [];
  for (let done = 0; done < count; done += 20) {
    const some = Array.from({ length: Math.min(20, count - done) }, () =>
      service.publish(url, {}, body),
    );
    ids.push(...(await Promise.all(some)));
  }
  return ids;
}

function deliveredOf(logged: readonly Item[]): number {
  return logged.filter(({ state }) => state === "DELIVERED").length;
}
