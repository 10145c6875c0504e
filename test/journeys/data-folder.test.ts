/** The files of a service on SQLite: what an operator finds in the folder, and what a bad start leaves there. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { keepGivenKey, keepSecretKey } from "../../src/config/secret-key-file.ts";
import { createIds } from "../../src/platform/ids.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Command } from "../support/command.ts";
import { type FileFault, fileSteps } from "../support/file-steps.ts";
import { TestService } from "../support/service-harness.ts";

const DRAW_KEY = new URL("../support/draw-key.ts", import.meta.url).pathname;

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
/** Starts and stops in this process. Gives what it logged. */
async function startsAndStops(folder: string): Promise<string> {
  const service = await TestService.start({ folder, mode: "serve" });
  await service.stop();
  return service.logged.join("\n");
}

/** Ends with one sentence, which it gives. */
async function refuses(t: TestContext, data: string): Promise<string> {
  const command = Command.serve(t, ["--data", data]);
  assert.equal(await command.refuses(), 1, command.output);
  assert.match(command.errors, /^postrider: .+\n$/);
  return command.errors;
}

test("files are readable by their owner alone, and so are folders that were made", async (t) => {
  const parent = join(freshFolder(t), "made");
  const data = join(parent, "too");
  const command = Command.serve(t, ["--data", data]);
  await command.says(/"ready"/);
  const names = readdirSync(data);
  for (const name of ["postrider.db", "postrider.db-wal", "postrider.db-shm", "control.json"]) {
    assert.ok(names.includes(name), names.join(" "));
  }
  const modes = new Set(names.map((name) => modeOf(join(data, name))));
  assert.deepEqual([...modes], ["600"]);
  assert.deepEqual([modeOf(parent), modeOf(data)], ["700", "700"]);
  assert.doesNotMatch(command.output, /can write/);
  await command.stop();
});

test("files that an earlier version left open to others are closed at the next start", async (t) => {
  const data = freshFolder(t);
  await startsAndStops(data);
  const names = readdirSync(data);
  for (const name of names) chmodSync(join(data, name), 0o644);
  const service = await TestService.start({ folder: data, mode: "serve" });
  try {
    const modes = readdirSync(data).map((name) => `${name} ${modeOf(join(data, name))}`);
    assert.deepEqual(
      modes.filter((each) => !each.endsWith(" 600")),
      [],
    );
  } finally {
    await service.stop();
  }
  assert.equal(
    service.logged.filter((line) => /open to other users/.test(line)).length,
    names.length,
  );
  assert.doesNotMatch(await startsAndStops(data), /open to other users/);
});

test("a folder that was there stays as it is; a warning says when others can write to it", async (t) => {
  const data = freshFolder(t);
  chmodSync(data, 0o750);
  assert.doesNotMatch(await startsAndStops(data), /can write/);
  assert.equal(modeOf(data), "750");
  chmodSync(data, 0o770);
  const logged = await startsAndStops(data);
  assert.match(logged, /other users can write to the data folder/);
  assert.match(logged, new RegExp(data));
  assert.equal(modeOf(data), "770");
});

test("an empty key without a database is no key: a new one is generated", async (t) => {
  for (const remains of ["", "\n", "\0".repeat(45)]) {
    const data = freshFolder(t);
    writeFileSync(join(data, "secret.key"), remains);
    writeFileSync(join(data, "postrider.db"), "");
    writeFileSync(join(data, "secret.key.abc.tmp"), "half a k");
    await startsAndStops(data);
    assert.match(readFileSync(join(data, "secret.key"), "utf8"), /^\w{44}\n$/);
    assert.equal(modeOf(join(data, "secret.key")), "600");
    assert.ok(!existsSync(join(data, "secret.key.abc.tmp")));
    await startsAndStops(data);
  }
});

test("a database whose key is gone is left alone, and the operator told what to do", async (t) => {
  const data = freshFolder(t);
  await startsAndStops(data);
  const key = join(data, "secret.key");
  renameSync(key, join(data, "backup"));
  for (const spoil of [() => undefined, () => writeFileSync(key, "")]) {
    spoil();
    const sentence = await refuses(t, data);
    assert.match(sentence, /secret\.key/);
    assert.match(sentence, /restore .* from (a|the|your) backup/);
    assert.match(sentence, /--secret-key/);
    assert.equal(existsSync(key) ? readFileSync(key, "utf8") : "", "");
  }
  const list = new Command(["account", "list", "--data", data]);
  assert.equal(await list.ends(), 1);
  assert.match(list.errors, /restore .* --secret-key/);
  rmSync(key);
  renameSync(join(data, "backup"), key);
  await startsAndStops(data);
});

test("a key that is cut short is refused and kept", async (t) => {
  const data = freshFolder(t);
  writeFileSync(join(data, "secret.key"), "half a key");
  assert.match(await refuses(t, data), /secret\.key .*(remove|restore)/);
  assert.equal(readFileSync(join(data, "secret.key"), "utf8"), "half a key");
});

test("a given key may be shorter than a drawn one; what may be half of one is refused", (t) => {
  for (const characters of [16, 43, 44]) {
    const [data, key] = [freshFolder(t), "k".repeat(characters)];
    keepGivenKey(data, key, createIds());
    keepGivenKey(data, key, createIds());
    assert.equal(keepSecretKey(data, createIds(), true), key);
    assert.throws(() => keepGivenKey(data, `${key}more`, createIds()), /another secret key/);
    // The end of the line is lost first.
    writeFileSync(join(data, "secret.key"), "k".repeat(43));
    assert.throws(() => keepSecretKey(data, createIds(), true), /holds no secret key/);
  }
});

test("a key that no file gives back is not written", (t) => {
  for (const key of [" a blank at its start", "a line too much at its end\n"]) {
    const data = freshFolder(t);
    assert.throws(() => keepGivenKey(data, key, createIds()), /cannot be kept in a file/);
    assert.deepEqual(readdirSync(data), []);
  }
});

test("what `migrate` has made can be served", async (t) => {
  const data = freshFolder(t);
  const migrate = new Command(["migrate", "--data", data]);
  assert.equal(await migrate.ends(), 0, migrate.errors);
  await startsAndStops(data);
});

test("the key is on the disk, and so is its name, before there is a database", async (t) => {
  const root = freshFolder(t);
  const data = join(root, "data");
  const record = join(freshFolder(t), "steps");
  await Command.serve(t, ["--data", data], fileSteps(root, record)).stopWhenReady();
  const steps = readFileSync(record, "utf8")
    .replaceAll(data, "DATA")
    .replaceAll(root, "ROOT")
    .replaceAll(/\.\w+\.tmp/g, ".tmp")
    .trim()
    .split("\n");
  const isBefore = (first: string, second: string): void => {
    assert.ok(steps.includes(first) && steps.includes(second), steps.join("\n"));
    assert.ok(steps.indexOf(first) < steps.indexOf(second), steps.join("\n"));
  };
  isBefore("folder DATA", "sync ROOT");
  isBefore("sync ROOT", "create DATA/secret.key.tmp");
  isBefore("write DATA/secret.key.tmp", "sync DATA/secret.key.tmp");
  isBefore("sync DATA/secret.key.tmp", "link DATA/secret.key.tmp DATA/secret.key");
  isBefore("link DATA/secret.key.tmp DATA/secret.key", "sync DATA");
  isBefore("sync DATA", "create DATA/postrider.db");
});

test("a kill at any step of drawing the key leaves what a start can use", async (t) => {
  let killed = 0;
  for (const at of everyStep) {
    const { data, program } = await drawKeyWithFault(t, "kill", at);
    if (program.code === 0) break;
    assert.equal(program.code, "SIGKILL", program.text);
    killed += 1;
    keepsKey(data);
  }
  assert.ok(killed >= 10, `killed at ${killed} steps`);
});

test("a disk that is full at the first start leaves what the next can use", async (t) => {
  const { data, program } = await drawKeyWithFault(t, "full", 1);
  assert.equal(program.code, 1);
  assert.match(program.text, /the secret key cannot be written to .*ENOSPC/);
  assert.deepEqual(readdirSync(data), []);
  keepsKey(data);
  const full = fileSteps(data, devNull, "full", 1);
  const started = Command.serve(t, ["--data", join(data, "other")], full);
  assert.equal(await started.refuses(), 1);
  assert.match(started.errors, /^postrider: the secret key cannot be written to .*ENOSPC.*\n$/);
});

test("processes that draw a key at once all use the same one", async (t) => {
  const folder = freshFolder(t);
  const drawn = await Promise.all(Array.from({ length: 6 }, () => drawKey(folder)));
  const [key] = drawn.map(({ text }) => text);
  assert.deepEqual(new Set(drawn.map(({ text }) => text)), new Set([key]));
  assert.equal(`${key}\n`, readFileSync(join(folder, "secret.key"), "utf8"));
});

const everyStep = Array.from({ length: 50 }, (_, index) => index + 1);

interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly text: string;
}

/** Runs the program that keeps a key in a folder, in a process of its own. */
async function drawKey(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [DRAW_KEY, folder], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  }
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code: code ?? signal, text };
}

async function drawKeyWithFault(
  t: TestContext,
  fault: FileFault,
  at: number,
): Promise<{ data: string; program: Ended }> {
  const root = freshFolder(t);
  const data = join(root, "made", "data");
  return { data, program: await drawKey(data, fileSteps(root, devNull, fault, at)) };
}

/** The next process finds a key or draws one, and leaves nothing else. */
function keepsKey(folder: string): void {
  const key = keepSecretKey(folder, createIds(), false);
  assert.match(key, /^\w{44}$/);
  assert.deepEqual(readdirSync(folder), ["secret.key"]);
  assert.equal(readFileSync(join(folder, "secret.key"), "utf8"), `${key}\n`);
}
