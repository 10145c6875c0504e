import assert from "node:assert/strict";
import { test } from "node:test";
import { OwnAccountCalls } from "./client/account.ts";
import { DeadLetters } from "./client/dead-letters.ts";
import { Keys } from "./client/keys.ts";
import { Messages } from "./client/messages.ts";
import { Schedules } from "./client/schedules.ts";
import { Workflows } from "./client/workflows.ts";
import * as errors from "./errors.ts";
import { segment, Transport } from "./transport.ts";

type Answer = { status: number; body?: string; headers?: Record<string, string> } | Error;

function transportWith(answers: Answer[], retries = 5): { transport: Transport; asked: string[] } {
  const asked: string[] = [];
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    asked.push(`${init?.method} ${url as string}`);
    const answer = answers.shift() ?? { status: 200, body: "{}" };
    if (answer instanceof Error) throw answer;
    return new Response(answer.body ?? null, answer);
  };
  const retry = { retries, backoff: () => 0 };
  const transport = new Transport({ baseUrl: "http://service/", token: "t", retry, fetch });
  return { transport, asked };
}

test("asks again when nothing answers or the service is busy, and then no more", async () => {
  const { transport, asked } = transportWith([
    new TypeError("reset"),
    { status: 503, body: "busy" },
  ]);
  assert.deepEqual(await transport.json({ method: "GET", path: "/v2/keys" }), {});
  assert.deepEqual(
    asked,
    Array.from({ length: 3 }, () => "GET http://service/v2/keys"),
  );
  const lost = transportWith([new TypeError("reset"), new TypeError("reset")], 1).transport;
  await assert.rejects(lost.send({ method: "GET", path: "/" }), errors.ConnectionError);
  const busy = transportWith([{ status: 503 }, { status: 503 }], 1).transport;
  await assert.rejects(busy.send({ method: "GET", path: "/" }), errors.UnavailableError);
});

test("what would be done twice is asked for once, also when its answer is lost", async () => {
  for (const lost of [new TypeError("reset"), { status: 503 }]) {
    const { transport, asked } = transportWith(Array.from({ length: 11 }, () => lost));
    await assert.rejects(new Keys(transport).rotate());
    await assert.rejects(new OwnAccountCalls(transport).addToken({ name: "n" }));
    await assert.rejects(new Schedules(transport, undefined).runNow("s"));
    const workflows = new Workflows(transport, undefined);
    await assert.rejects(workflows.notify("e"));
    const some = { filter: { label: "l" }, count: 2 };
    await assert.rejects(workflows.cancel(some));
    await assert.rejects(workflows.dlq.resume(some));
    await assert.rejects(workflows.dlq.delete(some));
    await assert.rejects(new Messages(transport).cancel(some));
    await assert.rejects(new Messages(transport).retry(some));
    await assert.rejects(new DeadLetters(transport).retry(some));
    await assert.rejects(new DeadLetters(transport).delete(some));
    assert.deepEqual(asked, [
      "POST http://service/v2/keys/rotate",
      "POST http://service/v2/account/tokens",
      "POST http://service/v2/schedules/s/run",
      "POST http://service/v2/notify/e",
      "DELETE http://service/v2/workflows/runs?label=l&count=2",
      "POST http://service/v2/workflows/dlq/resume?label=l&count=2",
      "DELETE http://service/v2/workflows/dlq?label=l&count=2",
      "DELETE http://service/v2/messages?label=l&count=2",
      "POST http://service/v2/messages/retry?label=l&count=2",
      "POST http://service/v2/dlq/retry?label=l&count=2",
      "DELETE http://service/v2/dlq?label=l&count=2",
    ]);
  }
});

test("a stream is sent once, since it cannot be read again", async () => {
  for (const lost of [null, new Response("busy", { status: 503 }), new Response("taken")]) {
    const bodies: string[] = [];
    const transport = new Transport({
      baseUrl: "http://service",
      token: "t",
      retry: { retries: 5, backoff: () => 0 },
      fetch: async (url, init) => {
        bodies.push(await new Request(url, init).text());
        return lost ?? Promise.reject(new TypeError("reset"));
      },
    });
    const body = new Blob(["streamed"]).stream();
    const sent = transport.send({ method: "POST", path: "/", body });
    if (lost === null) await assert.rejects(sent, errors.ConnectionError);
    else if (lost.ok) assert.equal(await (await sent).text(), "taken");
    else await assert.rejects(sent, errors.UnavailableError);
    assert.deepEqual(bodies, ["streamed"]);
  }
});

test("a busy answer is let go before the request is sent again", async () => {
  let isLetGo = false;
  const busy = new ReadableStream({ cancel: () => void (isLetGo = true) });
  let asked = 0;
  const transport = new Transport({
    token: "t",
    retry: { retries: 1, backoff: () => 0 },
    fetch: () => {
      asked += 1;
      assert.equal(isLetGo, asked === 2);
      return Promise.resolve(asked === 1 ? new Response(busy, { status: 503 }) : Response.json({}));
    },
  });
  assert.deepEqual(await transport.json({ method: "GET", path: "/" }), {});
});

test("the pauses between requests are the caller's, or grow up to a few seconds", async (t) => {
  const pauses: number[] = [];
  t.mock.method(globalThis, "setTimeout", (end: () => void, ms: number) => {
    pauses.push(ms);
    queueMicrotask(end);
  });
  const lost = { token: "t", fetch: () => Promise.reject(new TypeError("reset")) };
  const call = { method: "GET", path: "/" } as const;
  const given = { retries: 3, backoff: (n: number) => 10 + n };
  await assert.rejects(new Transport({ ...lost, retry: given }).send(call));
  assert.deepEqual(pauses.splice(0), [10, 11, 12]);
  await assert.rejects(new Transport(lost).send(call));
  assert.equal(pauses.splice(0).length, 5);
  await assert.rejects(new Transport({ ...lost, retry: { retries: 20 } }).send(call));
  assert.ok(pauses.every((ms, n) => n === 0 || ms >= pauses[n - 1]!));
  assert.deepEqual([pauses[0]! < pauses[3]!, Math.max(...pauses)], [true, 5_000]);
  pauses.length = 0;
  await assert.rejects(new Transport({ ...lost, retry: false }).send(call));
  assert.deepEqual(pauses, []);
});

test("a caller that gives up ends the request or the pause, and is told so", async () => {
  for (const isUnderWay of [true, false]) {
    const caller = new AbortController();
    let asked = 0;
    const transport = new Transport({
      token: "t",
      retry: { retries: 5, backoff: () => 3_600_000 },
      fetch: async (_url, init) => {
        asked += 1;
        init?.signal?.throwIfAborted();
        setImmediate(() => caller.abort());
        if (!isUnderWay) throw new TypeError("reset");
        return new Promise((_, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error));
        });
      },
    });
    const { signal } = caller;
    const send = () => transport.send({ method: "GET", path: "/", signal });
    await assert.rejects(send, { name: "AbortError" });
    await assert.rejects(send, { name: "AbortError" });
    assert.equal(asked, isUnderWay ? 2 : 3);
  }
});

const draws = (options: object) => new Transport({ token: "t", ...options }).deduplicates;

test("an id against duplicates is drawn unless nothing is repeated, or it is not wanted", () => {
  assert.equal(draws({}), true);
  for (const never of [{ deduplicate: false }, { retry: false }, { retry: { retries: 0 } }]) {
    assert.equal(draws(never), false, JSON.stringify(never));
  }
});

test("a refusal is an error of its kind, with the sentence of the service", async () => {
  const kinds = [
    [400, errors.ApiError],
    [401, errors.UnauthorizedError],
    [403, errors.UnauthorizedError],
    [404, errors.NotFoundError],
    [412, errors.QuotaExceededError],
    [429, errors.RateLimitedError],
  ] as const;
  for (const [status, Kind] of kinds) {
    const said = { error: "Svc-Retries: is wrong", code: "some-code", field: "Svc-Retries" };
    const body = JSON.stringify({ ...said, hint: "try less", more: 1 });
    const headers = { "Retry-After": "7", "X-Request-Id": "r1" };
    const { transport, asked } = transportWith([{ status, body, headers }]);
    await assert.rejects(transport.send({ method: "GET", path: "/" }), (error) => {
      assert.ok(error instanceof Kind && error instanceof errors.PostriderError);
      assert.equal(error.name, Kind.name);
      assert.equal(error.message, "Svc-Retries: is wrong");
      assert.deepEqual(
        [error.status, error.code, error.retryAfterSeconds],
        [status, "some-code", 7],
      );
      assert.deepEqual(
        [error.field, error.hint, error.requestId],
        ["Svc-Retries", "try less", "r1"],
      );
      return true;
    });
    assert.equal(asked.length, 1);
  }
});

test("an answer that is no JSON is shown as it is", async () => {
  const { transport } = transportWith([{ status: 502, body: "<html>" }, { status: 500 }]);
  await assert.rejects(transport.send({ method: "GET", path: "/" }), {
    message: "<html>",
    status: 502,
  });
  await assert.rejects(transport.send({ method: "GET", path: "/" }), /answered 500/);
});

test("parameters are written once for each value, dates as milliseconds", async () => {
  const { transport, asked } = transportWith([]);
  const query = { label: ["a", "b c"], fromDate: new Date(5), count: 3, cursor: undefined };
  await transport.send({ method: "GET", path: "/v2/logs", query });
  assert.deepEqual(asked, ["GET http://service/v2/logs?label=a&label=b+c&fromDate=5&count=3"]);
});

test("what no header can carry is refused by its name, and nothing is sent", async () => {
  const { transport, asked } = transportWith([]);
  const call = { method: "POST", path: "/" } as const;
  for (const value of ["a\u001b[31m", "two\nlines", "\u4f60\u597d", "\0"]) {
    await assert.rejects(transport.send({ ...call, headers: { "Svc-Label": value } }), {
      name: "PostriderError",
      message: "Svc-Label: holds a control character or one outside of Latin-1",
    });
  }
  const named = transport.send({ ...call, headers: { "Svc-Forward-X(Y)": "1" } });
  await assert.rejects(named, { message: '"Svc-Forward-X(Y)" is no name of a header' });
  const foreign = new Transport({ token: "se\u4f60cret", fetch: () => assert.fail() });
  await assert.rejects(foreign.send(call), { message: /^Authorization: holds/ });
  assert.deepEqual(asked, []);
  await transport.send({ ...call, headers: { "Svc-Label": " l\u00e4\tbel \n" } });
});

test("says what is missing", () => {
  assert.throws(() => new Transport({}), /POSTRIDER_TOKEN/);
  assert.throws(() => new Transport({ token: "" }), /POSTRIDER_TOKEN/);
  assert.throws(() => new Transport({ token: "t", baseUrl: "localhost" }), /http:\/\//);
  const environment = { POSTRIDER_TOKEN: "t", POSTRIDER_URL: "http://there" };
  assert.equal(new Transport({}, environment).baseUrl, "http://there");
  const given = new Transport({ token: "own", baseUrl: "http://here//" }, environment);
  assert.deepEqual([given.baseUrl, given.token], ["http://here", "own"]);
});

test("an answer that breaks off is not taken for one of another server", async () => {
  const cut = new ReadableStream({ pull: (stream) => stream.error(new TypeError("terminated")) });
  const fetch = () => Promise.resolve(new Response(cut));
  const asked = new Transport({ token: "t", fetch }).json({ method: "GET", path: "/" });
  await assert.rejects(asked, /terminated/);
});

test("a name cannot climb out of its segment of the path", () => {
  assert.equal(segment("a/../b?c#d"), "a%2F..%2Fb%3Fc%23d");
  for (const name of ["", ".", "..", undefined, null, 7] as string[]) {
    assert.throws(() => segment(name), errors.PostriderError, name);
  }
});

test("an object is no body, and an answer that is no JSON is of another server", async () => {
  const { transport, asked } = transportWith([{ status: 200, body: "<html>" }]);
  const call = { method: "POST", path: "/v2/publish/x" } as const;
  for (const body of [{ user: 42 }, [1], Object.create(null) as object] as unknown as string[]) {
    await assert.rejects(transport.json({ ...call, body }), /publishJSON and enqueueJSON/);
  }
  assert.deepEqual(asked, []);
  await assert.rejects(transport.json({ ...call, body: "{}" }), {
    name: errors.PostriderError.name,
    message: /^http:\/\/service answered with something else than JSON; /,
  });
  for (const body of ["", new Uint8Array(1), new Blob(["a"])]) {
    assert.deepEqual(await transport.json({ ...call, body }), {});
  }
});
