/** Runs at once on an endpoint that takes deliveries together, in Express and behind its parser. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, before, test } from "node:test";
import express from "express";
import { keepRawBody, serve } from "../../sdk/src/adapters/express.ts";
import { type Context, Receiver } from "../../sdk/src/sdk.ts";
import { until } from "../support/eventually.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

const RUNS = 8;
const MORE = 7;
/** Each step counts once. */
const SUM = 3 + MORE;
const ROUNDS_MAX = 10;
const CHANNEL = "svc-workflow-channel";

sdkJourneys("deliveries that travel together", { flags: { channels: "true" } }, (journey) => {
  const done = new Map<string, number>();
  const requests = { channels: 0, others: 0 };
  const channels: Socket[] = [];
  let gate = Promise.withResolvers<void>();
  let waiting: string[] = [];
  let deliveries = 0;
  let server: Server;
  let url: string;

  const workflow = async (context: Context<{ n: number }>): Promise<number> => {
    const step = (name: string): Promise<number> =>
      context.run(name, () => {
        const key = `${context.runId} ${name}`;
        done.set(key, (done.get(key) ?? 0) + 1);
        return context.payload.n;
      });
    deliveries++;
    const first = await step("first");
    const [left, right] = await Promise.all([step("left"), step("right")]);
    await context.run("meet", async () => {
      waiting.push(context.runId);
      await gate.promise;
    });
    let sum = first + left + right;
    for (let index = 0; index < MORE; index++) sum += await step(`more ${index}`);
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

  /** Runs at once, which meet in the middle: none goes on before all have come there, and `met` is over. */
  const runAll = async (met: () => void = () => undefined): Promise<void> => {
    done.clear();
    gate = Promise.withResolvers();
    waiting = [];
    const running = Array.from({ length: RUNS }, (_, n) =>
      journey.run(url, "success", { body: { n } }),
    );
    await until(() => waiting.length === RUNS, "all runs have met");
    met();
    gate.resolve();
    for (const [n, runId] of (await Promise.all(running)).entries()) {
      assert.equal(await journey.result(runId), SUM * n);
    }
    assert.equal(done.size, RUNS * SUM);
  };

  test("every run has its result, and each step is done once", async () => {
    for (let round = 0; round < ROUNDS_MAX && requests.others >= deliveries; round++) {
      await runAll();
      assert.deepEqual(new Set(done.values()), new Set([1]));
    }
    assert.ok(requests.others < deliveries, "some travelled together");
  });

  test("a channel that breaks holds up no run", async () => {
    const broken: Socket[] = [];
    for (let round = 0; round < ROUNDS_MAX && broken.length === 0; round++) {
      await runAll(() => {
        broken.push(...channels.filter(({ destroyed }) => !destroyed));
        for (const socket of broken) socket.destroy();
      });
    }
    assert.ok(broken.length > 0, "one was open");
  });
});
