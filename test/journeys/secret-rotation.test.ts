/** The secret key is rotated by the command, while messages are sent and processes are killed. */
import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readControlFile } from "../../src/config/control-file.ts";
import { CONTROL_USER } from "../../src/operations/account/logins.ts";
import { secretKeyIdOf } from "../../src/platform/secret-box.ts";
import { AccountCalls, type Item } from "../support/account-calls.ts";
import { isWrittenIn } from "../support/canaries.ts";
import { Command } from "../support/command.ts";
import { callConsole, freshAccount } from "../support/console-call.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { requireSigned, run } from "../support/secret-rotation.ts";
import { TestService } from "../support/service-harness.ts";

const TOKEN = "token-of-a-rotating-server-0123456789";
const ENVIRONMENT = { POSTRIDER_TOKEN: TOKEN };

test("on SQLite, killed at each step, and with the files as a kill between two renames leaves them", async (t) => {
  const data = freshFolder(t);
  const destination = await DestinationServer.startFor(t);
  const outputs: (() => string)[] = [];
  const keyIn = (name: string): string => readFileSync(join(data, name), "utf8").trim();
  const serve = async (): Promise<[Command, AccountCalls]> => {
    const flags = ["--data", data, "--egress-allow", "127.0.0.0/8"];
    const server = Command.serve(t, flags, ENVIRONMENT);
    outputs.push(() => server.output + server.errors);
    return [server, new AccountCalls(await server.url(), TOKEN)];
  };
  let [server, calls] = await serve();
  const signingKeys = await calls.get("/v2/keys");
  const before = keyIn("secret.key");
  const created = new Command(["account", "create", "team@example.com", "--data", data]);
  assert.equal(await created.ends(), 0, created.errors);

  // One step encrypts all of so few accounts again, and has not seen yet that nothing is left.
  const first = await stepOf(data, {});
  assert.deepEqual([first["accounts"], first["done"]], [2, false]);
  assert.equal(first["key_id"], secretKeyIdOf(keyIn("secret.key.next")));
  assert.equal(statSync(join(data, "secret.key.next")).mode & 0o777, 0o600);
  server.signal("SIGKILL");
  await server.ends();
  const doctor = await run(["doctor", "--data", data, "--port", "0"], outputs);
  assert.match(doctor.output, /secret key .*there are two: a rotation/);
  const moved = await run(["move", "--data", data, "--to", "postgres://x@127.0.0.1:1/x"], outputs);
  assert.match(moved.errors, /is being rotated/);
  const next = keyIn("secret.key.next");
  renameSync(join(data, "secret.key.next"), join(data, "aside"));
  const refused = Command.serve(t, ["--data", data], ENVIRONMENT);
  assert.equal(await refused.refuses(), 1);
  assert.match(refused.errors, /they need the one with the id/);
  outputs.push(() => refused.output + refused.errors);
  renameSync(join(data, "aside"), join(data, "secret.key.next"));

  [server, calls] = await serve();
  assert.deepEqual(await calls.get("/v2/keys"), signingKeys);
  const done = await run(["secret", "rotate", "--data", data], outputs);
  assert.equal(done.code, 0, done.errors);
  const kept = `secret.key.replaced-${secretKeyIdOf(before)}`;
  assert.ok(done.output.includes(kept), done.output);
  assert.deepEqual([keyIn("secret.key"), keyIn(kept)], [next, before]);
  assert.equal(existsSync(join(data, "secret.key.next")), false);
  await requireSigned(calls, destination, signingKeys);
  assert.deepEqual(modesIn(data), new Set([0o600]));

  // The store knew the end of it, and the process died before it replaced the file.
  server.signal("SIGKILL");
  await server.ends();
  copyFileSync(join(data, "secret.key"), join(data, "secret.key.next"));
  copyFileSync(join(data, kept), join(data, "secret.key"));
  [server, calls] = await serve();
  await requireSigned(calls, destination, signingKeys);
  const again = await run(["secret", "rotate", "--data", data, "--json"], outputs);
  const answer = JSON.parse(again.output) as Item;
  assert.deepEqual([answer["accounts"], answer["done"]], [0, true]);
  assert.equal(answer["kept_as"], join(data, kept));
  assert.equal(keyIn("secret.key"), next);

  // A third key, while no server runs.
  await server.stop();
  const last = await run(["secret", "rotate", "--data", data], outputs);
  assert.match(last.output, /of 2 accounts were encrypted again/);
  [server, calls] = await serve();
  assert.deepEqual(await calls.get("/v2/keys"), signingKeys);
  await server.stop();
  for (const secret of [before, next, keyIn("secret.key")]) {
    assert.ok(!outputs.some((output) => isWrittenIn(output(), secret)));
  }
});

test("a folder that cannot be written, and half a next key, are told before anything changes", async (t) => {
  const data = freshFolder(t);
  const service = await TestService.startFor(t, { folder: data });
  const ask = () => callConsole(service.url, "POST", "/v2/svc/secret-key", { send: {} });
  writeFileSync(join(data, "secret.key.next"), "half a key");
  const half = await ask();
  assert.notEqual(half.status, 200);
  const unchanged = async (): Promise<void> => {
    const [row] = await service.select("SELECT record FROM service");
    assert.ok(!String(row?.["record"]).includes("secretKey"));
  };
  await unchanged();
  // A power cut left its name and lost its content: nothing is encrypted with it.
  writeFileSync(join(data, "secret.key.next"), "");
  if (process.getuid?.() !== 0) {
    chmodSync(data, 0o500);
    assert.notEqual((await ask()).status, 200);
    chmodSync(data, 0o700);
    await unchanged();
  }
  assert.equal((await ask()).status, 200);
  const wrong = { send: { key_id: "0123456789abcdef" } };
  const other = await callConsole(service.url, "POST", "/v2/svc/secret-key", wrong);
  assert.deepEqual([other.status, /another rotation/.test(other.text)], [403, true]);
  const bad = await callConsole(service.url, "POST", "/v2/svc/secret-key", { send: { key_id: 1 } });
  assert.deepEqual([bad.status, bad.json["field"]], [400, "key_id"]);
  const account = await freshAccount(service.url);
  const own = { as: account.as, send: {} };
  assert.equal((await callConsole(service.url, "POST", "/v2/svc/secret-key", own)).status, 403);
});

test("a backup from before, in the middle and from after opens with what it has", async (t) => {
  const data = freshFolder(t);
  const folder = freshFolder(t);
  writeFileSync(join(folder, "passphrase"), "correct horse battery staple\n");
  const passphrase = ["--passphrase-file", join(folder, "passphrase")];
  const service = await TestService.startFor(t, { folder: data });
  const signingKeys = await service.get("/v2/keys");
  const before = readFileSync(join(data, "secret.key"), "utf8").trim();
  const backUp = async (name: string): Promise<string> => {
    const file = join(folder, name);
    const command = await run(["backup", file, "--data", data, ...passphrase], []);
    assert.equal(command.code, 0, command.errors);
    return file;
  };
  const files = [await backUp("before")];
  const rotation = await stepOf(data, {});
  files.push(await backUp("middle"));
  await stepOf(data, { key_id: rotation["key_id"] });
  files.push(await backUp("after"));
  const keyIds = [secretKeyIdOf(before), String(rotation["key_id"])];
  const needs = [[], keyIds, keyIds.slice(1)];
  for (const [index, file] of files.entries()) {
    const verified = await run(["verify", file, "--json"], []);
    assert.deepEqual((JSON.parse(verified.output) as Item)["secretKeyIds"], needs[index]);
    const restored = join(folder, `restored-${index}`);
    const restore = await run(["restore", file, "--data", restored, ...passphrase], []);
    assert.equal(restore.code, 0, restore.errors);
    const other = await TestService.startFor(t, { folder: restored });
    assert.deepEqual(await other.get("/v2/keys"), signingKeys);
  }
  const bare = await run(["restore", files[2]!, "--data", join(folder, "bare")], []);
  assert.ok(bare.output.includes(`the secret key with the id ${keyIds[1]}`), bare.output);
});

/** One step, as the command asks for it. */
async function stepOf(data: string, send: object): Promise<Item> {
  const { url, secret } = readControlFile(data)!;
  const as = [CONTROL_USER, secret] as const;
  const answer = await callConsole(url, "POST", "/v2/svc/secret-key", { as, send });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

function modesIn(folder: string): Set<number> {
  return new Set(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777));
}
