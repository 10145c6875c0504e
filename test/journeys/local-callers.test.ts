/** Everybody knows the credentials of `dev`: it answers this machine, and no web page of others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshFolder } from "../support/fresh-folder.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { call } from "../support/http-call.ts";
import { TestService } from "../support/service-harness.ts";

test("dev answers to names of this machine, and to those alone", async (context) => {
  const flags = { publicUrl: "https://tunnel.example:8443/" };
  const service = await TestService.startFor(context, { flags });
  const { port } = new URL(service.url);
  const to = (host: string, path = "/v2/logs") =>
    service.call("GET", path, { headers: { Host: host } });
  const own = ["127.0.0.1", "127.1.2.3:80", "localhost", "LOCALHOST:9", "app.localhost", "[::1]"];
  for (const host of [...own, `localhost:${port}`, "localhost.", "tunnel.example"]) {
    assert.equal((await to(host)).status, 200, host);
  }
  const foreign = ["evil.example", `evil.example:${port}`, "localhost.evil.example", "192.168.1.7"];
  for (const host of [
    ...foreign,
    "0.0.0.0",
    "[::]",
    "x y",
    "127.0.0.1.nip.io",
    "sub.tunnel.example",
  ]) {
    const { status, json } = await to(host);
    assert.deepEqual([status, json["code"], json["field"]], [403, "not-local", "Host"], host);
    assert.match(String(json["error"]), /--public-url .* --allow-remote/);
  }
  for (const path of ["/healthz", "/echo/x", "/v2/svc/users", "/nothing"]) {
    assert.equal((await to("evil.example", path)).status, 403, path);
  }
});

test("dev takes no call of a web page of others", async (context) => {
  const flags = { publicUrl: "https://tunnel.example" };
  const service = await TestService.startFor(context, { flags });
  const destination = await DestinationServer.startFor(context);
  const publish = (headers: Record<string, string>) =>
    service.call("POST", `/v2/publish/${destination.url}/page`, { headers, body: "x" });
  const before = await service.rowCount();
  const foreign: Record<string, string>[] = [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "http://localhost.evil.example" },
    { "Sec-Fetch-Site": "cross-site" },
    { Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" },
  ];
  for (const headers of foreign) {
    const { status, json } = await publish(headers);
    assert.deepEqual([status, json["code"]], [403, "not-local"], JSON.stringify(headers));
  }
  assert.equal(await service.rowCount(), before);
  const page = { headers: { "Sec-Fetch-Site": "cross-site" } };
  assert.equal((await service.console("GET", "/v2/svc/users", page)).status, 403);
  const own: Record<string, string>[] = [
    {},
    { "Sec-Fetch-Site": "none" },
    { Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-site" },
    { Origin: "http://127.0.0.1:5173", "Sec-Fetch-Site": "cross-site" },
    { Origin: "https://tunnel.example", "Sec-Fetch-Site": "same-origin" },
  ];
  for (const headers of own) {
    assert.equal((await publish(headers)).status, 200, JSON.stringify(headers));
  }
});

test("dev takes no token from the query, serve does", async (context) => {
  const flags = { egressAllow: "127.0.0.1", secretKey: "a secret key of the tests" };
  const dev = await TestService.startFor(context);
  const served = await TestService.startFor(context, { mode: "serve", flags });
  const destination = await DestinationServer.startFor(context);
  const publish = (service: TestService) => {
    const token = encodeURIComponent(service.token);
    const path = `/v2/publish/${destination.url}/token?x=1&qstash_token=${token}`;
    return service.call("POST", path, { token: null });
  };
  const refused = await publish(dev);
  assert.equal(refused.status, 401);
  assert.match(String(refused.json["error"]), /query/);
  assert.equal((await publish(served)).status, 200);
  const [request] = await destination.received("/token");
  assert.equal(request.url, "/token?x=1");
  const path = `/v2/dlq?svc_token=${encodeURIComponent(served.token)}`;
  assert.equal(await served.status("GET", path, { token: null }), 200);
  // Others serve under whatever name they like.
  assert.equal(await served.status("GET", "/v2/logs", { headers: { Host: "any.example" } }), 200);
});

test("dev listens for other machines only when told to, and says what that means", async (context) => {
  const flags = ["dev", "--port", "0", "--data", freshFolder(context), "--host", "0.0.0.0"];
  const refused = new Command(flags);
  assert.equal(await refused.refuses(), 1);
  assert.match(refused.errors, /^postrider: host 0\.0\.0\.0 .*--allow-remote.*\n$/);
  const command = new Command([...flags, "--allow-remote", "--log", "pretty"]);
  context.after(() => command.stop());
  await command.says(/credentials of dev are public/);
  const [, url = ""] = await command.says(/running at (http:\S+)/);
  assert.doesNotMatch(url, /0\.0\.0\.0/);
  const { status } = await call(url, "GET", "/healthz", { headers: { Host: "any.example" } });
  assert.equal(status, 200);
  const page = { Host: "any.example", Origin: "https://evil.example" };
  assert.equal((await call(url, "GET", "/healthz", { headers: page })).status, 403);
});
