/** What name servers and the files of the machine say of a name. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createNameLookup, type NameLookupOptions } from "../../src/delivery/guard/name-lookup.ts";
import { type Answers, NameServer } from "../support/name-server.ts";

async function start(t: TestContext, answers: Answers, options: NameLookupOptions = {}) {
  const names = await NameServer.start(answers);
  t.after(() => names.close());
  const files = { hostsFile: "/nowhere", resolvFile: "/nowhere" };
  const lookup = createNameLookup({ servers: [names.address], ...files, ...options });
  return { names, lookup };
}

test("addresses of both families come in turn, the first of each first", async (t) => {
  const { lookup } = await start(t, () => ["10.0.0.1", "10.0.0.2", "10.0.0.3", "fd00::1"]);
  assert.deepEqual(await lookup("both.test"), ["10.0.0.1", "fd00::1", "10.0.0.2", "10.0.0.3"]);
});

test("a name that has addresses of one family only is found", async (t) => {
  const six = await start(t, () => ["fd00::1", "fd00::2"]);
  assert.deepEqual(await six.lookup("six.test"), ["fd00::1", "fd00::2"]);
});

test("when one family cannot be asked for, the other is used", async (t) => {
  const { lookup } = await start(t, (_name, family) => (family === 6 ? "broken" : ["10.0.0.1"]));
  assert.deepEqual(await lookup("half.test"), ["10.0.0.1"]);
});

test("a broken name server is told apart from a name that does not exist, whichever family it breaks", async (t) => {
  const isOurs = { name: "DeliveryError", message: "name lookup failed" };
  for (const broken of [[4, 6], [4], [6]]) {
    const { lookup } = await start(t, (_name, family) => (broken.includes(family) ? "broken" : []));
    await assert.rejects(lookup("broken.test"), isOurs);
  }
  const { lookup } = await start(t, () => []);
  await assert.rejects(lookup("nowhere.test"), { code: "ENOTFOUND" });
});

test("names below localhost are this machine in any case, and others are asked for", async (t) => {
  const { names, lookup } = await start(t, () => ["10.0.0.1"]);
  for (const name of ["localhost", "LocalHost", "localhost.", "a.b.localhost"]) {
    assert.deepEqual(await lookup(name), ["127.0.0.1", "::1"], name);
  }
  assert.deepEqual(names.asked, []);
  assert.deepEqual(await lookup("notlocalhost"), ["10.0.0.1"]);
  assert.deepEqual(await lookup("localhost.example.test"), ["10.0.0.1"]);
});

test("domains that are changed while the service runs are used", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-names-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const resolvFile = join(folder, "resolv.conf");
  writeFileSync(resolvFile, "search old.test\n");
  const { names, lookup } = await start(t, () => ["10.0.0.1"], { resolvFile });
  await lookup("shop");
  writeFileSync(resolvFile, "search new.test\n");
  await lookup("shop");
  assert.deepEqual([...new Set(names.asked)], ["shop.old.test", "shop.new.test"]);
});
