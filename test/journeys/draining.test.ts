/** A stop that balancers and clients with kept connections do not notice. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { json, text } from "node:stream/consumers";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { until } from "../support/eventually.ts";
import { call } from "../support/http-call.ts";
import { DEV_TOKEN, type StoreKind, TestService } from "../support/service-harness.ts";
import { freePort } from "../support/free-port.ts";
import { freshDatabase, postgresMissing, withClient } from "../support/postgres-url.ts";
import { startTwoNodes } from "../support/two-nodes.ts";

const CLIENTS = 8;
/** The service accepts one in each turn of its event loop. */
const CONNECTIONS = 50;
/** Long enough for a busy machine to see that a connection is refused before it is over. */
const DRAIN = "2s";
const PATIENCE_MS = 20_000;
/** The thread of the service stands still, and the clients may begin. */
const BLOCKED = 1;

for (const store of ["sqlite", "postgres"] as const satisfies readonly StoreKind[]) {
  const skip = store === "postgres" ? postgresMissing() : false;

  test(`a stop under load loses no request (${store})`, { skip }, async (t) => {
    const service = await TestService.startFor(t, { store, flags: { drain: DRAIN } });
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    t.after(() => agent.destroy());
    const clients = Array.from({ length: CLIENTS }, () => publishUntilRefused(service, agent));
    await publish(service, agent);
    const stopped = service.stop();
    await until(async () => (await readiness(service)) === 503, "readiness is 503");
    // It is told to send requests elsewhere, and its requests are still answered.
    assert.equal((await publish(service, agent)).status, 200);
    const counts = await Promise.all(clients);
    await stopped;
    assert.ok(
      counts.every((count) => count > 1),
      String(counts),
    );
  });

  test(`a kept connection is closed with an answer (${store})`, { skip }, async (t) => {
    const service = await TestService.startFor(t, { store, flags: { drain: DRAIN } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const before = await publish(service, agent);
    assert.equal(before.connection, "keep-alive");
    const stopped = service.stop();
    await until(() => isRefused(service), "new connections are refused");
    const last = await publish(service, agent);
    assert.deepEqual([last.status, last.connection], [200, "close"]);
    await stopped;
  });
}

test("a stop answers connections that were opened while the service was busy", async (t) => {
  const service = await TestService.startFor(t, { flags: { drain: "0s" } });
  const state = new Int32Array(new SharedArrayBuffer(4));
  const caller = new Worker(CALLERS, {
    eval: true,
    workerData: { port: service.service.port, state, count: CONNECTIONS, token: DEV_TOKEN },
  });
  await once(caller, "online");
  const answers = once(caller, "message") as Promise<[string[]]>;
  // While this thread is blocked the system accepts connections, and the service does not.
  Atomics.store(state, 0, BLOCKED);
  Atomics.notify(state, 0);
  assert.equal(Atomics.wait(state, 0, BLOCKED, PATIENCE_MS), "ok");
  const stopped = service.stop();
  const [statuses] = await answers;
  assert.deepEqual(statuses, Array<string>(CONNECTIONS).fill("200"));
  await stopped;
});

test("a node that stops is gone from the list at once", { skip: postgresMissing() }, async (t) => {
  const [first, second] = await startTwoNodes(t);
  assert.equal(await countNodes(second), 2);
  await first.stop();
  assert.equal(await countNodes(second), 1);
});

test("a request to a node that starts waits for it", { skip: postgresMissing() }, async (t) => {
  const database = await freshDatabase();
  t.after(() => database.drop());
  const store = { databaseUrl: database.url, secretKey: "a-secret-key-of-the-cluster" };
  await (await TestService.start({ flags: store })).stop();
  const port = await freePort();
  const answer = await withClient(database.url, async (client) => {
    // A node starts with a heartbeat, which waits for this lock.
    await client.query("BEGIN; LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE");
    const starting = TestService.start({ flags: { ...store, port: String(port) } });
    const url = `http://127.0.0.1:${port}`;
    await until(async () => !(await isRefused({ url })), "the server listens");
    const early = publish({ url }, new Agent());
    await client.query("ROLLBACK");
    const status = (await early).status;
    await (await starting).stop();
    return status;
  });
  assert.equal(answer, 200);
});

test("a node is listed, measured and logged by its name", async (t) => {
  const service = await TestService.startFor(t, { flags: { nodeName: "host-7" } });
  const { json: listed } = await service.console("GET", "/v2/svc/nodes");
  const [node] = listed["nodes"] as { readonly name: string; readonly nodeId: string }[];
  assert.equal(node?.name, "host-7");
  assert.equal(listed["durability"], "disk");
  const metrics = await call(service.url, "GET", "/metrics");
  assert.match(metrics.text, /^postrider_info\{node="host-7",version="[^"]+"\} 1$/m);
  const age = `postrider_node_heartbeat_age_seconds{node="host-7",id="${node.nodeId}"} `;
  assert.ok(metrics.text.includes(`\n${age}`), metrics.text);
});

/** A thread of clients, each with a connection of its own; it says when all are open and have sent. */
const CALLERS = `
const { connect } = require("node:net");
const { parentPort, workerData: { port, state, count, token } } = require("node:worker_threads");
const lines = ["POST /v2/publish/http://127.0.0.1:9/ HTTP/1.1", "Host: 127.0.0.1:" + port,
  "Authorization: Bearer " + token, "Svc-Delay: 1h", "Content-Length: 0", "Connection: close", "", ""];
let sent = 0;
Atomics.wait(state, 0, 0);
const publish = () => new Promise((resolve) => {
  let said = "";
  const socket = connect(port, "127.0.0.1", () => socket.write(lines.join("\\r\\n"), () => {
    sent += 1;
    if (sent < count) return;
    Atomics.store(state, 0, 2);
    Atomics.notify(state, 0);
  }));
  socket.on("data", (chunk) => (said += chunk)).on("error", (error) => (said = error.code));
  socket.on("close", () => resolve(said.split(" ")[1] ?? said));
});
Promise.all(Array.from({ length: count }, publish)).then((statuses) => parentPort.postMessage(statuses));
`;

interface Answered {
  readonly status: number;
  readonly connection: string | undefined;
}

/** Publishes as a balancer does, which goes to another node when a connection is refused. */
async function publishUntilRefused(service: TestService, agent: Agent): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      const { status } = await publish(service, agent);
      assert.equal(status, 200);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ECONNREFUSED") return count;
      throw error;
    }
  }
}

async function publish(service: { readonly url: string }, agent: Agent): Promise<Answered> {
  const sent = request(`${service.url}/v2/publish/http://127.0.0.1:9/`, {
    method: "POST",
    headers: { Authorization: `Bearer ${DEV_TOKEN}`, "Svc-Delay": "1h" },
    agent,
  });
  sent.end("hello");
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await json(response);
  return { status: response.statusCode!, connection: response.headers.connection };
}

async function readiness(service: TestService): Promise<number> {
  const sent = request(`${service.url}/readyz`, { agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await text(response);
  return response.statusCode!;
}

/** A connection that is opened shows that the server still listens. */
function isRefused(service: { readonly url: string }): Promise<boolean> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve) => {
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });
}

async function countNodes(service: TestService): Promise<number> {
  const { json: listed } = await service.console("GET", "/v2/svc/nodes");
  return (listed["nodes"] as unknown[]).length;
}
