/** Messages that would be delivered to the service itself. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Mode } from "../../src/config/settings.ts";
import { freePort } from "../support/free-port.ts";
import type { CallAnswer } from "../support/http-call.ts";
import { TestService } from "../support/service-harness.ts";

function startOn(context: TestContext, mode: Mode, flags: Record<string, string>) {
  return TestService.startFor(context, { mode, flags });
}

function publishTo(service: TestService, url: string): Promise<CallAnswer> {
  return service.call("POST", `/v2/publish/${url}`);
}

async function assertItself(service: TestService, url: string): Promise<void> {
  const answer = await publishTo(service, url);
  assert.equal(answer.status, 400, url);
  assert.match(String(answer.json["error"]), /invalid destination url: .*itself.*--egress-allow/);
}

test("in dev the service delivers to its own echo, and to nothing else of its own", async (t) => {
  const publicUrl = "https://messages.example.com/post";
  const service = await startOn(t, "dev", { publicUrl });
  const { port } = service.service;
  for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"]) {
    await assertItself(service, `http://${host}:${port}/v2/queues`);
  }
  await assertItself(service, `http://127.0.0.1:${port}/echoes`);
  await assertItself(service, `${publicUrl}/v2/publish/https://example.com`);
  assert.equal((await publishTo(service, "https://messages.example.com/other")).status, 200);
  const id = await service.publish(`http://localhost:${port}/echo/first`);
  await service.logUntil(id, "DELIVERED");
  const callback = `http://127.0.0.1:${port}/v2/queues`;
  const headers = { "Upstash-Callback": callback };
  const refused = await service.call("POST", "/v2/publish/https://example.com", { headers });
  assert.equal(refused.status, 400);
});

test("a service that listens everywhere is reached by every address of the machine", async (t) => {
  const service = await startOn(t, "dev", { host: "0.0.0.0", allowRemote: "true" });
  await assertItself(service, `http://127.0.0.9:${service.service.port}/v2/queues`);
});

const TOKEN = "a-token-of-my-own";

test("in serve neither the own port nor the console's is open with its host", async (t) => {
  const [port, consolePort] = [await freePort(), await freePort()];
  const flags = { port: String(port), consolePort: String(consolePort), token: TOKEN };
  const service = await startOn(t, "serve", { ...flags, egressAllow: "127.0.0.1" });
  for (const own of [port, consolePort]) await assertOwn(service, own);
});

test("in serve the own port is opened by its number", async (t) => {
  const [port, consolePort] = [await freePort(), await freePort()];
  const flags = { port: String(port), consolePort: String(consolePort), token: TOKEN };
  const service = await startOn(t, "serve", { ...flags, egressAllow: `127.0.0.1:${port}` });
  const path = `/v2/publish/http://127.0.0.1:${port}/healthz`;
  const answer = await service.call("POST", path, { token: TOKEN });
  assert.equal(answer.status, 200, answer.text);
  await assertOwn(service, consolePort);
});

async function assertOwn(service: TestService, port: number): Promise<void> {
  const path = `/v2/publish/http://127.0.0.1:${port}/v2/queues`;
  const refused = await service.call("POST", path, { token: TOKEN });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /--egress-allow/);
}

test("a private address that serve refuses names the setting that opens it", async (t) => {
  const service = await startOn(t, "serve", { token: TOKEN });
  const path = "/v2/publish/http://10.1.2.3/hook";
  await service.refused(`POST ${path}`, 400, /private address: 10.1.2.3; .*--egress-allow/, {
    token: TOKEN,
  });
});
