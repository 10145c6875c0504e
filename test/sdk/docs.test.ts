/** The examples in TypeScript are understood by the compiler and do what they say. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";
import type { H3 } from "h3";
import type { Hono } from "hono";
import type { Handler } from "../../sdk/src/sdk.ts";
import { PAGES, readBlocks } from "../docs/blocks.ts";
import { ROOT } from "../house/sources.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freePort } from "../support/free-port.ts";
import { clientOf } from "../support/play-workflow.ts";
import { until } from "../support/eventually.ts";
import { TestService } from "../support/service-harness.ts";
import { sign } from "../support/stub-run.ts";
import { WorkflowStub } from "../support/workflow-stub.ts";

const blocks = readBlocks(...PAGES).filter(({ language }) => language === "ts");
const examples = new Map(blocks.map(({ example, code }) => [example!, code]));
/** Tried elsewhere: test/docs/receiving.test.ts. */
const tried = new Set(["verify"]);
const folder = mkdtempSync(join(tmpdir(), "postrider-docs-"));
const systemFetch = globalThis.fetch;
const logged: unknown[][] = [];
let service: TestService;
let destination: DestinationServer;

before(async () => {
  symlinkSync(join(ROOT, "test/node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  destination = await DestinationServer.start();
  service = await TestService.start();
  console.log = (...values) => void logged.push(values);
});

after(async () => {
  await service.stop();
  await destination.close();
  rmSync(folder, { recursive: true, force: true });
});

test("every example has a name of its own", () => {
  assert.ok(blocks.length > 15);
  assert.equal(examples.size, blocks.length);
});

test("the compiler understands all of them", () => {
  for (const [name, code] of examples) writeFileSync(join(folder, `${name}.typed.ts`), code);
  const paths = {
    "@postrider/sdk": [join(ROOT, "sdk/src/sdk.ts")],
    "@postrider/sdk/*": [join(ROOT, "sdk/src/adapters/*.ts")],
    "postrider/testing": [join(ROOT, "src/testing/start-server.ts")],
  };
  const compilerOptions = {
    paths,
    allowImportingTsExtensions: true,
    lib: ["es2024"],
    // An application publishes no types.
    declaration: false,
  };
  const project = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions,
    include: ["*.typed.ts"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout);
});

/** Loads an example as a program of its own, with the SDK and the hosts put in. */
async function load<Exports>(name: string, host = destination.url): Promise<Exports> {
  const root = pathToFileURL(ROOT).href;
  const port = await freePort();
  const code = examples
    .get(name)!
    .replaceAll('"postrider/testing"', `"${root}src/testing/start-server.ts"`)
    .replaceAll(/"@postrider\/sdk\/(\w+)"/g, `"${root}sdk/src/adapters/$1.ts"`)
    .replaceAll('"@postrider/sdk"', `"${root}sdk/src/sdk.ts"`)
    .replaceAll("https://app.example.com", host)
    .replaceAll("3000", String(port));
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, code);
  tried.add(name);
  return (await import(pathToFileURL(file).href)) as Exports;
}

function useService(): void {
  globalThis.fetch = systemFetch;
  process.env["POSTRIDER_URL"] = service.url;
  process.env["POSTRIDER_TOKEN"] = service.token;
}

/** Everything that the example asks goes to the stub, which knows workflows. */
function useStub(stub: WorkflowStub): void {
  globalThis.fetch = stub.fetch;
  process.env["POSTRIDER_URL"] = "http://service";
  process.env["POSTRIDER_TOKEN"] = clientOf(stub).token;
}

test("messages are published, read and cancelled", async () => {
  useService();
  await load("publish");
  assert.deepEqual(logged.splice(0), [[10_000], [true, "CREATED"], [0]]);
});

test("the first examples publish, with either client", async () => {
  useService();
  await load("readme-publish");
  await load("sdk-readme");
  process.env["QSTASH_URL"] = service.url;
  process.env["QSTASH_TOKEN"] = service.token;
  await load("hosted-client");
  await destination.received("/api/welcome");
  const { json } = await service.call("GET", "/v2/messages");
  const waiting = (json["messages"] as { state: string }[]).filter(
    ({ state }) => state === "CREATED",
  );
  assert.equal(waiting.length, 2, "two wait for ten seconds");
  await service.call("DELETE", "/v2/messages");
});

test("many messages go out, and a schedule is made", async () => {
  useService();
  await load("many");
  for (const path of ["a", "b", "mail", "audit", "slow"])
    await destination.received(`/api/${path}`);
  const { json } = await service.call("GET", "/v2/schedules/daily-report");
  assert.equal(json["cron"], "CRON_TZ=Europe/Paris 0 9 * * 1-5");
  await destination.received("/api/report");
  assert.deepEqual(logged.splice(0), [[true]]);
});

test("lists are gone through", async () => {
  useService();
  destination.respond = () => ({ status: 500 });
  const messageId = await service.publish(`${destination.url}/fails`, { "Svc-Retries": "0" });
  await service.logUntil(messageId, "FAILED");
  destination.respond = () => ({});
  await load("lists");
  assert.deepEqual(
    logged.splice(0).map(([id]) => id),
    [messageId],
  );
  await until(() => destination.to("/fails").length === 2, "retried");
});

test("the log is followed", async () => {
  useService();
  let isOver = false;
  const followed = load("tail").finally(() => (isOver = true));
  await until(async () => {
    await service.publish(`${destination.url}/api/watched`);
    return isOver;
  }, "an entry is told");
  await followed;
  assert.deepEqual(logged.splice(0).at(-1), ["DELIVERED", 200]);
});

test("signed requests are received, others are not", async () => {
  process.env["POSTRIDER_CURRENT_SIGNING_KEY"] = "sig_docs";
  const { POST } = await load<{ POST: Handler }>("receive");
  delete process.env["POSTRIDER_CURRENT_SIGNING_KEY"];
  const ask = (key: string): Promise<Response> => {
    const headers = { "Svc-Signature": sign('{"a":1}', key, "https://x/") };
    return POST(new Request("https://x/", { method: "POST", body: '{"a":1}', headers }));
  };
  assert.equal((await ask("sig_docs")).status, 200);
  assert.equal((await ask("sig_other")).status, 401);
  assert.deepEqual(logged.splice(0), [[{ a: 1 }]]);
});

test("the workflow runs to its end", async () => {
  const url = "https://app.example.com/api/order";
  const stub: WorkflowStub = new WorkflowStub({ endpoints: { [url]: (request) => POST(request) } });
  const { POST } = await load<{ POST: Handler }>("workflow");
  useStub(stub);
  const run = stub.trigger(url, '{"orderId":"A1"}');
  await stub.drain();
  assert.equal(run.result, '{"paid":true}');
  assert.deepEqual(logged.splice(0), [["sent", "late"]]);
});

test("the first workflow runs to its end", async () => {
  const url = "https://app.example.com/api/user";
  const stub: WorkflowStub = new WorkflowStub({ endpoints: { [url]: (request) => POST(request) } });
  const { POST } = await load<{ POST: Handler }>("readme-workflow");
  useStub(stub);
  const run = stub.trigger(url, '{"user":42}');
  await stub.drain();
  assert.equal(run.state, "success");
  assert.deepEqual(logged.splice(0), [["mail to user 42"]]);
});

test("a plain message starts the workflow that was given its url", async () => {
  const url = "https://app.example.com/api/report";
  const { POST } = await load<{ POST: Handler }>("own-url", "https://app.example.com");
  useStub(new WorkflowStub({ endpoints: {} }));
  process.env["POSTRIDER_CURRENT_SIGNING_KEY"] = "sig_docs";
  for (const [signedFor, status] of [[`${url}s`, 403] as const, [url, 200] as const]) {
    const headers = { "Svc-Signature": sign("", "sig_docs", signedFor) };
    assert.equal((await POST(new Request(url, { method: "POST", headers }))).status, status);
  }
  delete process.env["POSTRIDER_CURRENT_SIGNING_KEY"];
});

test("runs are started, told and cancelled", async () => {
  const stub = new WorkflowStub({ endpoints: {} });
  useStub(stub);
  await load("runs", "https://app.example.com");
  const run = stub.runs.get("order-A1");
  assert.equal(run?.state, "canceled");
  assert.equal(run.headers["Svc-Label"], "orders");
});

test("each framework serves its example", async () => {
  const url = "http://app.example/api/order";
  const { app: hono } = await load<{ app: Hono }>("hono");
  const { app: h3 } = await load<{ app: H3 }>("h3");
  const { POST } = await load<{ POST: Handler }>("next");
  for (const handler of [
    async (request: Request) => hono.fetch(request),
    async (request: Request) => h3.fetch(request),
    POST,
  ]) {
    const stub = new WorkflowStub({ endpoints: { [url]: handler } });
    useStub(stub);
    const run = stub.trigger(url);
    await stub.drain();
    assert.equal(run.result, '"hello"');
  }
});

test("Express serves its example", async () => {
  const { app } = await load<{ app: Express }>("express");
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  assert.equal(await resultAt(`http://127.0.0.1:${address.port}/api/order`), '"hello"');
  server.closeAllConnections();
  server.close();
});

test("Fastify serves its example", async () => {
  const { app } = await load<{ app: FastifyInstance }>("fastify");
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  assert.equal(await resultAt(`${address}/api/order`), '"hello"');
  await app.close();
});

/** The result of a run on an application that listens. */
async function resultAt(url: string): Promise<string | undefined> {
  const stub = new WorkflowStub({ endpoints: { [url]: (request) => systemFetch(request) } });
  useStub(stub);
  const run = stub.trigger(url, "{}", { "Svc-Forward-Content-Type": "application/json" });
  await stub.drain();
  return run.result;
}

test("workflows behind one route invoke each other", async () => {
  const address = "http://app.example/flows";
  const { POST } = await load<{ POST: Handler }>("several");
  const stub = new WorkflowStub({
    endpoints: { [`${address}/order`]: POST, [`${address}/invoice`]: POST },
  });
  useStub(stub);
  const run = stub.trigger(`${address}/order`);
  await stub.drain();
  assert.equal(run.result, '"invoice for A1"');
});

test("a test of one's own lets days pass", async () => {
  globalThis.fetch = systemFetch;
  await load("testing");
  for (const name of ["CURRENT", "NEXT"]) delete process.env[`POSTRIDER_${name}_SIGNING_KEY`];
});

test("every example was tried", () => {
  assert.deepEqual(
    [...examples.keys()].filter((name) => !tried.has(name)),
    [],
  );
});
