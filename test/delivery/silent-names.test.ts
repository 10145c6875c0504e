/** Names whose name server says nothing, and what others notice of them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import {
  createNameLookup,
  type Lookup,
  type NameLookupOptions,
} from "../../src/delivery/guard/name-lookup.ts";
import { NameResolver } from "../../src/delivery/guard/name-resolver.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type Answers, NameServer } from "../support/name-server.ts";
import { answered, deliveryTo, policy, send, startCourier } from "./sending.ts";

/** More than the threads of the system's resolver. */
const SILENT = 12;

async function startNames(
  t: TestContext,
  answers: Answers,
  options: NameLookupOptions = {},
): Promise<{ names: NameServer; lookup: Lookup }> {
  const names = await NameServer.start(answers);
  t.after(() => names.close());
  const lookup = createNameLookup({ servers: [names.address], resolvFile: "/nowhere", ...options });
  return { names, lookup };
}

const quickOnly: Answers = (name) => {
  if (name.startsWith("silent")) return null;
  return name === "quick.test" ? ["127.0.0.1"] : [];
};

const shopOnly: Answers = (name) => (name === "shop.office.test" ? ["10.9.9.9"] : []);

test("names whose server is silent hold up no other name", async (t) => {
  const { names, lookup } = await startNames(t, quickOnly);
  const destination = await DestinationServer.start();
  t.after(() => destination.close());
  const courier = startCourier(t, { lookup });
  const { port } = new URL(destination.url);
  const silent = Array.from({ length: SILENT }, (_, index) =>
    courier.send(deliveryTo(`http://silent-${index}.test:${port}/`)),
  );
  let ended = 0;
  for (const { outcome } of silent) void Promise.resolve(outcome).then(() => (ended += 1));
  const quick = await send(courier, deliveryTo(`http://quick.test:${port}/`));
  assert.equal(answered(quick).status, 200);
  assert.equal(ended, 0, "the others are still being looked up");
  assert.equal(new Set(names.asked).size, SILENT + 1);
  for (const sending of silent) sending.abort();
});

test("an attempt that ends during its lookup leaves no pool behind", async (t) => {
  const clock = new ManualClock();
  const looked = Promise.withResolvers<string[]>();
  const courier = startCourier(t, { clock, lookup: () => looked.promise });
  const { outcome } = courier.send(deliveryTo("http://slow.test/", { timeoutMs: 1_000 }));
  clock.advance(1_000);
  assert.equal((await outcome).kind, "no-answer");
  looked.resolve(["127.0.0.1"]);
  await t.waitFor(() => assert.equal(courier.openPools, 0));
});

test("a name that does not exist differs from one without an answer", async (t) => {
  const { lookup } = await startNames(t, quickOnly);
  await assert.rejects(lookup("nowhere.test"), { code: "ENOTFOUND" });
  await assert.rejects(lookup("silent.test"), /name lookup timed out/);
});

test("the hosts file comes first, and short names are looked for in their domains", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-names-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [hostsFile, resolvFile] = [join(folder, "hosts"), join(folder, "resolv.conf")];
  writeFileSync(hostsFile, "10.1.2.3 db.internal DB # ours\n::5\tdb\n");
  writeFileSync(resolvFile, "search apps.test\toffice.test\noptions ndots:2 rotate\n");
  const { names, lookup } = await startNames(t, shopOnly, { hostsFile, resolvFile });
  assert.deepEqual(await lookup("db"), ["10.1.2.3", "::5"]);
  assert.deepEqual(await lookup("deep.localhost"), ["127.0.0.1", "::1"]);
  assert.deepEqual(await lookup("127.0.0.9"), ["127.0.0.9"]);
  assert.deepEqual(names.asked, []);
  assert.deepEqual(await lookup("shop"), ["10.9.9.9"]);
  assert.deepEqual([...new Set(names.asked)], ["shop.apps.test", "shop.office.test"]);
});

test("an old answer is used while the name server is silent, and is still judged", async (t) => {
  const clock = new ManualClock();
  let answer: Promise<readonly string[]> = Promise.resolve(["10.0.0.1"]);
  const resolver = new NameResolver(clock, () => answer);
  await resolver.resolve("a.test");
  answer = new Promise(() => undefined);
  clock.advance(31_000);
  const stale = resolver.resolve("a.test");
  clock.advance(1_000);
  assert.deepEqual(await stale, ["10.0.0.1"]);
  assert.deepEqual(await resolver.resolve("a.test"), ["10.0.0.1"]);
  // A name that is gone is gone, and so is an answer that is too old.
  clock.advance(600_000);
  const tooOld = assert.rejects(resolver.resolve("a.test"), /no answer to the name lookup/);
  clock.advance(5_000);
  await tooOld;
  const courier = startCourier(t, {
    lookup: () => Promise.resolve(["10.0.0.1"]),
    policy: policy("serve"),
  });
  const outcome = await send(courier, deliveryTo("http://a.test/"));
  assert.ok(
    outcome.kind === "no-answer" &&
      outcome.error === "destination not allowed (see --egress-allow)",
  );
});

test("a name that is gone is not remembered", async () => {
  const clock = new ManualClock();
  const gone = Object.assign(new Error("gone"), { code: "ENOTFOUND" });
  const answers = [Promise.resolve(["10.0.0.1"]), Promise.reject(gone)];
  const resolver = new NameResolver(clock, () => answers.shift()!);
  await resolver.resolve("a.test");
  clock.advance(31_000);
  await assert.rejects(resolver.resolve("a.test"), { code: "ENOTFOUND" });
});

test("an account has only so many lookups under way, and others have theirs", async () => {
  const asked: string[] = [];
  const ends: (() => void)[] = [];
  const resolver = new NameResolver(new ManualClock(), (host) => {
    asked.push(host);
    return new Promise((resolve) => ends.push(() => resolve(["10.0.0.1"])));
  });
  const greedy = Array.from({ length: 40 }, (_, index) =>
    resolver.resolve(`${index}.test`, "greedy"),
  );
  const other = resolver.resolve("other.test", "other");
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  assert.equal(asked.length, 33);
  assert.equal(asked.at(-1), "other.test");
  while (asked.length < 41) {
    for (const end of ends.splice(0)) end();
    await new Promise(setImmediate);
  }
  for (const end of ends.splice(0)) end();
  await Promise.all([...greedy, other]);
});
