/** Runs at once on an endpoint that takes deliveries together, in Express and behind its parser. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import express from "express";
import { keepRawBody, serve } from "../../src/sdk/adapters/express.ts";
import { type Context, Receiver } from "../../src/sdk/sdk.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

const RUNS = 8;
const MORE = 7;
/** Each step counts once. */
const SUM = 3 + MORE;
const CHANNEL = "svc-workflow-channel";

sdkJourneys("deliveries that travel together", {}, (journey) => {
  const done = new Map<string, number>();
  const requests = { channels: 0, others: 0 };
  const channels: Socket[] = [];
  let server: Server;
  let url: string;

  const workflow = async (context: Context<{ n: number }>): Promise<number> => {
    const step = (name: string): Promise<number> =>
      context.run(name, () => {
        const key = `${context.runId} ${name}`;
        done.set(key, (done.get(key) ?? 0) + 1);
        return context.payload.n;
      });
    const first = await step("first");
    const [left, right] = await Promise.all([step("left"), step("right")]);
    let sum = first + left + right;
    for (let place = 0; place < MORE; place++) sum += await step(`more ${place}`);
    return sum;
  };

  before(async () => {
    const { url: baseUrl, token, credentials } = journey.service;
    const receiver = new Receiver(credentials);
    const app = express();
    app.use((request, _response, next) => {
      const isChannel = request.headers[CHANNEL] === "1";
      requests[isChannel ? "channels" : "others"]++;
      if (isChannel) channels.push(request.socket);
      next();
    });
    app.use(express.json({ verify: keepRawBody }));
    app.post("/flow", serve(workflow, { client: { baseUrl, token }, receiver, channel: true }));
    server = createServer(app);
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/flow`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const runAll = (): Promise<string[]> =>
    Promise.all(
      Array.from({ length: RUNS }, (_, n) => journey.run(url, "success", { body: { n } })),
    );

  test("every run has its result, and each step is done once", async () => {
    const runIds = await runAll();
    for (const [n, runId] of runIds.entries()) assert.equal(await journey.result(runId), SUM * n);
    assert.equal(done.size, RUNS * SUM);
    assert.deepEqual(new Set(done.values()), new Set([1]));
    assert.ok(requests.channels > 0, "some travelled together");
    assert.ok(requests.others < RUNS * SUM, `${requests.others} went by themselves`);
  });

  test("a channel that breaks holds up no run", async () => {
    const running = runAll();
    while (done.size < RUNS * (SUM + 3)) await wait(1);
    const open = channels.filter(({ destroyed }) => !destroyed);
    assert.ok(open.length > 0);
    for (const socket of open) socket.destroy();
    const runIds = await running;
    for (const [n, runId] of runIds.entries()) assert.equal(await journey.result(runId), SUM * n);
  });
});
