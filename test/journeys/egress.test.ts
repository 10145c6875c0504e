/** The settings that say by which way deliveries leave. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { fileURLToPath } from "node:url";
import { test, type TestContext } from "node:test";
import { listenFor } from "../support/listening.ts";
import { ConnectProxy } from "../support/connect-proxy.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { TestService } from "../support/service-harness.ts";

const PASSWORD = "canary-proxy-password";

test("with --egress-proxy and --egress-ca a message reaches an https destination", async (t) => {
  const [proxy, port] = [await startProxy(t), await startHttps(t)];
  const flags = {
    egressProxy: `http://me:${PASSWORD}@127.0.0.1:${proxy.port}`,
    egressCa: certificate("authority"),
  };
  const service = await start(t, flags);
  const messageId = await service.publish(`https://trusted.test:${port}/`);
  await service.logUntil(messageId, "DELIVERED");
  assert.equal(proxy.asked[0]?.authority, `trusted.test:${port}`);
  assert.ok(!service.logged.join("\n").includes(PASSWORD));
});

test("without --egress-ca the same destination is not trusted", async (t) => {
  const [proxy, port] = [await startProxy(t), await startHttps(t)];
  const service = await start(t, { egressProxy: `http://127.0.0.1:${proxy.port}` });
  const headers = { "Svc-Retries": "0" };
  const messageId = await service.publish(`https://trusted.test:${port}/`, headers);
  const entries = await service.logUntil(messageId, "FAILED");
  assert.match(JSON.stringify(entries), /TLS certificate/);
});

test("a proxy that is down fails attempts, and says nothing of its credentials", async (t) => {
  const proxy = await ConnectProxy.start();
  const flags = { egressProxy: `http://me:${PASSWORD}@127.0.0.1:${proxy.port}` };
  await proxy.close();
  const service = await start(t, flags);
  const messageId = await service.publish("http://far.test/", { "Svc-Retries": "0" });
  const shown = JSON.stringify(await service.logUntil(messageId, "FAILED"));
  assert.match(shown, /egress proxy: connection refused/);
  assert.ok(!(shown + service.logged.join("\n")).includes(PASSWORD));
});

test("with --https-only a plain destination or callback is refused", async (t) => {
  const destination = await DestinationServer.startFor(t);
  const service = await start(t, { httpsOnly: "true" });
  await service.refused(
    `POST /v2/publish/${destination.url}/x`,
    400,
    /endpoint must use https:\/\//,
  );
  await service.refused(
    "POST /v2/publish/https://far.test/",
    400,
    /Callback: .*must use https:\/\//,
    {
      headers: { "Svc-Callback": destination.url },
    },
  );
  assert.equal(await service.rowCount(), 0);
});

function start(t: TestContext, flags: Record<string, string>): Promise<TestService> {
  return TestService.startFor(t, { flags });
}

async function startProxy(t: TestContext): Promise<ConnectProxy> {
  const proxy = await ConnectProxy.start();
  t.after(() => proxy.close());
  return proxy;
}

function startHttps(t: TestContext): Promise<number> {
  const [key, cert] = ["server-key", "server"].map((name) => readFileSync(certificate(name)));
  const server = createServer({ key: key!, cert: cert! }, (_request, response) => response.end());
  return listenFor(t, server);
}

function certificate(name: string): string {
  return fileURLToPath(new URL(`../delivery/certificates/${name}.pem`, import.meta.url));
}
