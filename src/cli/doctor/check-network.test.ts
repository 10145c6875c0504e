import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { test, type TestContext } from "node:test";
import { ConnectProxy } from "../../../test/support/connect-proxy.ts";
import { readSettings } from "../../config/read-settings.ts";
import { checkDestination, checkProxy } from "./check-network.ts";

async function findingsOf(t: TestContext, proxy: RequestListener): Promise<string[]> {
  const server = createServer((request, response) => {
    if (request.url === "/healthz") response.end();
    else proxy(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const found: string[] = [];
  for await (const { state, says } of checkProxy(`http://127.0.0.1:${port}`)) {
    found.push(`${state}: ${says}`);
  }
  return found;
}

test("a proxy passes a check only by the answer of a server", async (t) => {
  const reset = await findingsOf(t, (request) => request.socket.destroy());
  assert.match(reset[1]!, /^warning: it does not pass on a body of 2 MB: /);
  assert.match(reset[2]!, /^warning: whether it keeps the slashes .* is not known: /);
  const refused = await findingsOf(t, (request, response) => {
    request.resume().once("end", () => response.writeHead(401).end());
  });
  assert.match(refused[1]!, /^ok: it passes on bodies/);
  assert.match(refused[2]!, /^warning: .* is not known: status 401/);
});

async function destinationFindings(
  url: string,
  flags: Readonly<Record<string, string>>,
): Promise<string[]> {
  const sources = { flags, environment: {}, configFile: undefined };
  const found: string[] = [];
  for await (const { state, says, advice } of checkDestination(
    url,
    readSettings("serve", sources),
  )) {
    found.push(`${state}: ${says}${advice === undefined ? "" : ` → ${advice}`}`);
  }
  return found;
}

function certificate(name: string): string {
  return fileURLToPath(new URL(`../../../test/delivery/certificates/${name}.pem`, import.meta.url));
}

test("a destination is asked through the proxy that deliveries use, with the authorities that they trust", async (t) => {
  const asked: (string | undefined)[] = [];
  const [key, cert] = ["server-key", "server"].map((name) => readFileSync(certificate(name)));
  const server = createHttpsServer({ key, cert }, (request, response) => {
    asked.push(`${request.method} ${request.headers.host}`);
    response.end("fine");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const proxy = await ConnectProxy.start();
  t.after(() => proxy.close());
  const host = `trusted.test:${(server.address() as AddressInfo).port}`;
  const url = `https://${host}/hook`;
  const flags = {
    egressProxy: `http://127.0.0.1:${proxy.port}`,
    egressCa: certificate("authority"),
  };
  const [good, ...others] = await destinationFindings(url, flags);
  assert.match(good!, /^ok: https:\S+\/hook answers 200 to a GET through the egress proxy after /);
  assert.deepEqual(others, []);
  assert.deepEqual(asked, [`GET ${host}`]);
  const { egressProxy } = flags;
  const [distrusted] = await destinationFindings(url, { egressProxy });
  assert.match(distrusted!, /^problem: TLS certificate .* → .*--egress-ca$/);
  proxy.reaction = "refuse";
  const [refused] = await destinationFindings(url, flags);
  assert.match(refused!, /^problem: egress proxy: it refused to connect \(403\) → does the proxy/);
});
