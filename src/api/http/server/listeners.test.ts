import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import type { Settings } from "../../../config/settings.ts";
import { json } from "../answers/answer.ts";
import { ConnectionLimit } from "../limits/connection-limit.ts";
import { RefusalCounts } from "../answers/problem-answer.ts";
import { UnreadAnswers } from "../limits/unread-answers.ts";
import type { Api, Route } from "./call.ts";
import { Listeners, type PortRoutes } from "./listeners.ts";

function route(path: string, handler: (api: Api) => unknown): Route {
  const row = { method: "GET", path, title: path, needs: "open", says: "", answers: {} };
  return { ...row, handler: (api: Api) => json(200, { is: handler(api) as string }) } as Route;
}

const ROUTES: PortRoutes = {
  all: [route("/all", ({ admitsOperator }) => admitsOperator)],
  withoutConsole: [route("/public", ({ admitsOperator }) => admitsOperator)],
  console: [route("/console", ({ admitsOperator }) => admitsOperator)],
  commands: [route("/commands", ({ phase }) => phase())],
};

function listeners(t: TestContext, settings: Partial<Settings>) {
  const clock = new ManualClock();
  const calls: string[] = [];
  const connections = new ConnectionLimit([], { inAll: 100, ofAddress: 100 });
  let api!: Api;
  const all = { mode: "serve", host: "127.0.0.1", port: 0, ...settings } as Settings;
  const opened = new Listeners(all, ROUTES, (life) => {
    api = {
      ...life,
      clock,
      connections,
      refusals: new RefusalCounts(),
      unread: new UnreadAnswers(),
      callerIp: () => "127.0.0.1",
      requireCaller: () => undefined,
      logStreams: { close: () => calls.push("streams closed") },
      uploads: { start: () => calls.push("started"), stop: () => calls.push("stopped") },
    } as unknown as Api;
    return api;
  });
  t.after(() => opened.close());
  return { listeners: opened, clock, calls, api };
}

async function ask(port: number, path: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return answer.status === 200 ? ((await answer.json()) as { is: unknown }).is : answer.status;
}

/** A port that is taken, and how many free ones follow it is not known. */
async function takenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("one port has every route, and the operator may sign in there", async (t) => {
  const { listeners: opened, calls } = listeners(t, {});
  const { port, consolePort } = await opened.open();
  assert.equal(port, consolePort);
  assert.equal(await ask(port, "/all"), true);
  assert.deepEqual(calls, ["started"]);
});

test("beside a port of the console the public one has no console and no operator", async (t) => {
  const { listeners: opened, calls } = listeners(t, { consolePort: 0 });
  const { port, consolePort } = await opened.open();
  assert.notEqual(port, consolePort);
  assert.equal(await ask(port, "/public"), false);
  assert.equal(await ask(port, "/console"), 404);
  assert.equal(await ask(consolePort, "/console"), true);
  assert.equal(await ask(consolePort, "/public"), 404);
  assert.deepEqual(calls, ["started"]);
});

test("a port that is taken stops serve, with the flag that chooses another", async (t) => {
  const port = await takenPort(t);
  const says = (flag: string) => ({
    name: "SettingError",
    message: `port ${port} on 127.0.0.1 is taken; stop what uses it, or give ${flag} another`,
  });
  await assert.rejects(listeners(t, { port }).listeners.open(), says("--port"));
  const console = listeners(t, { consolePort: port }).listeners;
  await assert.rejects(console.open(), says("--console-port"));
});

test("dev takes the next free port", async (t) => {
  const port = await takenPort(t);
  const { listeners: opened } = listeners(t, { mode: "dev", port });
  const { port: found } = await opened.open();
  assert.ok(found > port && found < port + 20, `${found} in place of ${port}`);
  assert.equal(await ask(found, "/all"), true);
});

test("an address that cannot be listened on is told as the system tells it", async (t) => {
  const { listeners: opened } = listeners(t, { host: "192.0.2.1", mode: "dev", port: 20_000 });
  await assert.rejects(opened.open(), { code: "EADDRNOTAVAIL", port: 20_000 });
});

test("the service starts, is ready, turns callers away and leaves", async (t) => {
  const { listeners: opened, clock, calls, api } = listeners(t, { drain: 3_000 });
  const port = await opened.openConsole();
  assert.equal(await ask(port, "/commands"), "starting");
  opened.becomeReady();
  await api.started;
  assert.equal(await ask(port, "/commands"), "ready");
  const turning = opened.turnAway();
  assert.equal(await ask(port, "/commands"), "draining");
  clock.advance(3_000);
  await turning;
  const kept = await keptConnection(t, port);
  let isDrained = false;
  const drained = opened.drain(60_000).then(() => (isDrained = true));
  await t.waitFor(() => assert.equal(api.phase(), "leaving"));
  assert.deepEqual(calls, ["started", "streams closed"], "they would keep their connections");
  assert.match(await refusalOf(port), /ECONNREFUSED/);
  assert.equal(isDrained, false, "a connection may still bring a request");
  clock.advance(3_000);
  await drained;
  kept.destroy();
  opened.close();
  assert.deepEqual(calls.slice(1), ["streams closed", "streams closed", "stopped"]);
});

/** A connection that has brought one request, and is open. */
async function keptConnection(t: TestContext, port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  t.after(() => socket.destroy());
  socket.write("GET /commands HTTP/1.1\r\nHost: here\r\n\r\n");
  await once(socket, "data");
  return socket;
}

async function refusalOf(port: number): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  const connected = once(socket, "connect").then(() => "connected", String);
  const verdict = await connected;
  socket.destroy();
  return verdict;
}

test("a stop waits no longer than it may, and ten seconds at most", async (t) => {
  for (const [graceMs, waitMs] of [
    [2_000, 2_000],
    [60_000, 10_000],
  ] as const) {
    const { listeners: opened, clock } = listeners(t, { drain: 30_000 });
    await keptConnection(t, await opened.openConsole());
    let isOver = false;
    const drained = opened.drain(graceMs).then(() => (isOver = true));
    await t.waitFor(() => assert.ok(clock.alarmCount >= 2));
    clock.advance(waitMs - 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    clock.advance(1);
    await drained;
  }
});

test("commands of the machine come in by loopback, wherever else the service listens", async (t) => {
  const { listeners: opened } = listeners(t, { host: "127.0.0.2" });
  const port = await opened.openConsole();
  assert.equal(await ask(port, "/commands"), "starting");
});

for (const [settings, drainMs] of [
  [{}, 0],
  [{ databaseUrl: "postgres://db" }, 5_000],
  [{ databaseUrl: "postgres://db", drain: 0 }, 0],
  [{ drain: 7_000 }, 7_000],
] as const) {
  test(`balancers have ${drainMs} ms with ${JSON.stringify(settings)}`, async (t) => {
    const { listeners: opened, clock } = listeners(t, settings);
    let isOver = false;
    const turning = opened.turnAway().then(() => (isOver = true));
    clock.advance(Math.max(0, drainMs - 1));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, drainMs === 0);
    clock.advance(1);
    await turning;
  });
}
