import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { checkProxy } from "./check-network.ts";

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
