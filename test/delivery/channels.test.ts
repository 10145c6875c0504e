/** Deliveries that travel together, to endpoints of the SDK, and to those that only say they take them. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import type { Outcome } from "../../src/core/model/message/attempt.ts";
import type { Message } from "../../src/core/model/message/message.ts";
import { ABORTED, type Sending } from "../../src/delivery/courier.ts";
import { encodeFrame } from "../../src/delivery/channel/channel-frames.ts";
import type { HttpCourier } from "../../src/delivery/http-courier.ts";
import { tooLate } from "../../src/delivery/http/network-error.ts";
import { nodeHandler } from "../../sdk/src/adapters/node-request.ts";
import { Receiver } from "../../sdk/src/receiver.ts";
import type { Answer, Incoming } from "../../sdk/src/workflow/incoming.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { answered, deliveryTo, SIGNING_KEY, startCourier, unanswered } from "./sending.ts";
import { startHttp } from "./server.ts";

const AT_ONCE = 10;
const LOOKS_MAX = 2_000;
const NAME = "svc-workflow-channel";

test("deliveries at once travel together, and each gets its own answer", async (t) => {
  const receiver = new Receiver({ currentSigningKey: SIGNING_KEY });
  const endpoint = await startEndpoint(t, async ({ headers, body }) => {
    await receiver.verify({ signature: headers.get("Svc-Signature")!, body, url: endpoint.url });
    return { status: 200, headers: { "X-Own": headers.get("X-Own")! }, body: text(body) };
  });
  const courier = startCourier(t, { channels: true });
  await untilTogether(courier, endpoint);
  const before = endpoint.requests.length;
  const outcomes = await together(courier, endpoint.url);
  assert.equal(endpoint.requests.length, before, "no request is made");
  for (const [index, outcome] of outcomes.entries()) {
    const { status, headers, body } = answered(outcome);
    assert.deepEqual([status, text(body)], [200, `body ${index}`]);
    assert.deepEqual(headers, [["X-Own", `größe ${index}`]]);
  }
});

test("a few go by themselves, and so does what is large, under a key or of another kind", async (t) => {
  const endpoint = await startEndpoint(t, saying("ok"));
  const courier = startCourier(t, { channels: true });
  for (let round = 0; round < 3; round++) await together(courier, endpoint.url, 2);
  assert.equal(endpoint.requests.length, 6);
  assert.equal(endpoint.channels, 0);
  await untilTogether(courier, endpoint);
  const before = endpoint.requests.length;
  const large = send(courier, endpoint.url, {}, Buffer.alloc(70_000));
  assert.equal(answered(await large.outcome).status, 200);
  const other = send(courier, endpoint.url, { kind: "publish" });
  assert.equal(answered(await other.outcome).status, 200);
  const keyed = send(courier, endpoint.url, {
    flowControl: { key: "one", parallelism: 1, periodMs: 1_000 },
  });
  assert.equal(answered(await keyed.outcome).status, 200);
  assert.equal(endpoint.requests.length, before + 3);
});

test("an endpoint that was not told to take channels is offered none", async (t) => {
  const endpoint = await startEndpoint(t, saying("ok"), {});
  const courier = startCourier(t, { channels: true });
  for (let round = 0; round < 3; round++) await together(courier, endpoint.url);
  assert.equal(endpoint.requests.length, 3 * AT_ONCE);
});

test("an endpoint that takes channels is sent none where the operator has not allowed them", async (t) => {
  const endpoint = await startEndpoint(t, saying("ok"));
  const courier = startCourier(t);
  for (let round = 0; round < 3; round++) await together(courier, endpoint.url);
  assert.equal(endpoint.channels, 0);
  assert.equal(endpoint.requests.length, 3 * AT_ONCE);
});

test("an endpoint that does not end a closed channel is cut off", async (t) => {
  const clock = new ManualClock();
  const seen = { ended: 0, closed: 0 };
  const endless = (request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { [NAME]: "1" }).write(encodeFrame(0, "", new Uint8Array(0)));
    request.resume().on("end", () => seen.ended++);
    response.on("close", () => seen.closed++);
  };
  const endpoint = await startEndpoint(t, saying("ok"), { channel: true }, endless);
  const courier = startCourier(t, { clock, channels: true });
  await together(courier, endpoint.url);
  await until(() => endpoint.channels > 0);
  await wait(100);
  for (let second = 0; second < 3; second++) clock.advance(1_000);
  await until(() => seen.ended === endpoint.channels);
  assert.deepEqual(seen, { ended: endpoint.channels, closed: 0 });
  clock.advance(5_000);
  await until(() => seen.closed === endpoint.channels);
  assert.equal(seen.closed, endpoint.channels);
});

test("what is not answered in time ends alone", async (t) => {
  const endpoint = await startEndpoint(t, async ({ headers }) => {
    if (headers.get("X-Own") === "never") await new Promise(() => undefined);
    return { status: 200, headers: {}, body: "ok" };
  });
  const courier = startCourier(t, { channels: true });
  await untilTogether(courier, endpoint);
  const never = { headers: [["X-Own", "never"]] } as const;
  const late = send(courier, endpoint.url, { ...never, timeoutMs: 100 });
  const cut = send(courier, endpoint.url, never);
  const before = endpoint.requests.length;
  const others = together(courier, endpoint.url, 3);
  cut.abort();
  assert.equal(unanswered(await cut.outcome).error, ABORTED);
  assert.equal(unanswered(await late.outcome).error, tooLate(100));
  for (const outcome of await others) assert.equal(answered(outcome).status, 200);
  assert.equal(endpoint.requests.length, before, "nothing was sent again");
});

test("what was under way in a channel that broke is delivered by itself", async (t) => {
  let isHeld = false;
  const endpoint = await startEndpoint(t, async ({ headers }) => {
    const isAlone = headers.has("host");
    if (isHeld && !isAlone) await new Promise(() => undefined);
    return { status: 200, headers: {}, body: isAlone ? "alone" : "together" };
  });
  const courier = startCourier(t, { channels: true });
  await untilTogether(courier, endpoint);
  isHeld = true;
  const sendings = sendTogether(courier, endpoint.url);
  await wait(50);
  endpoint.breakChannels();
  for (const { outcome } of sendings) assert.equal(text(answered(await outcome).body), "alone");
  const before = endpoint.requests.length;
  await together(courier, endpoint.url);
  assert.equal(endpoint.requests.length, before + AT_ONCE, "no other is opened at once");
});

test("a channel ends when it is not used, and when it has lived long; what it carries is answered", async (t) => {
  const clock = new ManualClock();
  const slow = Promise.withResolvers<void>();
  const endpoint = await startEndpoint(t, async ({ headers }) => {
    if (headers.get("X-Own") === "slow") await slow.promise;
    return { status: 200, headers: {}, body: "ok" };
  });
  const courier = startCourier(t, { clock, channels: true });
  await untilTogether(courier, endpoint);
  const slowly = { headers: [["X-Own", "slow"]], timeoutMs: 60_000 } as const;
  const carried = send(courier, endpoint.url, slowly);
  for (let second = 0; second < 25; second++) {
    clock.advance(1_000);
    // The ends of channels arrive meanwhile, as they would in so many seconds.
    await wait(5);
  }
  await endpoint.channelsEnded();
  slow.resolve();
  assert.equal(answered(await carried.outcome).status, 200);

  await untilTogether(courier, endpoint);
  for (let second = 0; second < 3; second++) clock.advance(1_000);
  await endpoint.channelsEnded();
});

const LIARS: Readonly<
  Record<string, (request: IncomingMessage, response: ServerResponse) => void>
> = {
  "does not know the request": (_, response) => response.writeHead(404).end(),
  "answers as if it were a delivery": (_, response) => response.writeHead(200).end("ok"),
  "breaks the connection": (request) => request.socket.destroy(),
  "holds the request back": () => undefined,
  "sends no frames": (_, response) => response.writeHead(200, { [NAME]: "1" }).end("<html>"),
  "sends frames that are too large": (_, response) => {
    const frame = encodeFrame(0, "", new Uint8Array(1));
    frame.writeUInt32BE(0xffff_ffff, 0);
    response.writeHead(200, { [NAME]: "1" }).write(frame);
  },
  "ends once it is open": (_, response) => {
    response.writeHead(200, { [NAME]: "1" }).end(encodeFrame(0, "", new Uint8Array(0)));
  },
  "answers what nobody asked, and then nonsense": (_, response) => {
    const ping = encodeFrame(0, "", new Uint8Array(0));
    const unknown = encodeFrame(99, "[200]", new Uint8Array(0));
    const nonsense = encodeFrame(1, "[]", new Uint8Array(0));
    response.writeHead(200, { [NAME]: "1" }).write(Buffer.concat([ping, unknown, nonsense]));
  },
};

for (const [what, lie] of Object.entries(LIARS)) {
  test(`everything arrives at an endpoint that offers a channel and ${what}`, async (t) => {
    const endpoint = await startEndpoint(t, saying("ok"), { channel: true }, lie);
    const clock = new ManualClock();
    const courier = startCourier(t, { clock, channels: true });
    for (let round = 0; round < 4; round++) {
      for (const outcome of await together(courier, endpoint.url)) {
        assert.equal(text(answered(outcome).body), "ok");
      }
      clock.advance(2_000);
    }
    assert.equal(endpoint.channels, 1, "it is not tried again at once");
  });
}

async function until(condition: () => boolean): Promise<void> {
  for (let look = 0; !condition() && look < LOOKS_MAX; look++) await wait(5);
}

interface Endpoint {
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
  readonly channels: number;
  breakChannels(): void;
  /** Resolves when all have ended as requests do. */
  channelsEnded(): Promise<void>;
}

async function startEndpoint(
  t: TestContext,
  answering: (incoming: Incoming) => Promise<Answer>,
  options: { channel?: boolean } = { channel: true },
  lie?: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Endpoint> {
  const requests: IncomingMessage[] = [];
  const handler = nodeHandler(answering, options);
  const { url } = await startHttp(t, (request, response) => {
    requests.push(request);
    if (lie && request.headers[NAME] === "1") lie(request, response);
    else void handler(request, response);
  });
  const channels = (): IncomingMessage[] => requests.filter(({ headers }) => headers[NAME] === "1");
  const areOpen = (): boolean => channels().some(({ complete }) => !complete);
  return {
    url: `${url}/flow?x=1`,
    requests,
    get channels() {
      return channels().length;
    },
    breakChannels: () => {
      for (const { socket } of channels()) socket.destroy();
    },
    channelsEnded: async () => {
      for (let looks = 0; areOpen() && looks < LOOKS_MAX; looks++) await wait(5);
      assert.ok(!areOpen(), "the requests have ended");
    },
  };
}

const saying = (body: string) => (): Promise<Answer> =>
  Promise.resolve({ status: 200, headers: {}, body });

function send(
  courier: HttpCourier,
  url: string,
  changes: Partial<Message> = {},
  body: string | Uint8Array = "[]",
): Sending {
  const run = { runId: "run", createdAt: 1, workflowUrl: url, ordinal: 0 } as Message["run"];
  return courier.send(deliveryTo(url, { kind: "step", run, ...changes }, body));
}

function sendTogether(courier: HttpCourier, url: string, count = AT_ONCE): Sending[] {
  return Array.from({ length: count }, (_, index) =>
    send(courier, url, { headers: [["X-Own", `größe ${index}`]] }, `body ${index}`),
  );
}

function together(courier: HttpCourier, url: string, count?: number): Promise<Outcome[]> {
  return Promise.all(sendTogether(courier, url, count).map(async ({ outcome }) => outcome));
}

/** Sends until nothing goes by itself any more. */
async function untilTogether(courier: HttpCourier, endpoint: Endpoint): Promise<void> {
  for (;;) {
    const before = endpoint.requests.length;
    await together(courier, endpoint.url);
    if (endpoint.requests.length === before) return;
    await wait(5);
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
