/** A backup that is ended before it is whole leaves nothing for long. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { Command } from "../support/command.ts";
import { until } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";

const TWO_DAYS_SECONDS = 2 * 24 * 3_600;

/** The data of a server, and a folder for its backups. */
async function prepare(context: TestContext, megabytes: number) {
  const [data, backups] = [freshFolder(context), freshFolder(context)];
  await Command.serve(context, ["--data", data]).stopWhenReady();
  const database = new DatabaseSync(join(data, "postrider.db"));
  database.exec(`CREATE TABLE padding (bytes BLOB) STRICT; INSERT INTO padding
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${megabytes})
    SELECT zeroblob(1000000) FROM n`);
  database.close();
  return { data, backups, names: () => readdirSync(backups).toSorted() };
}

/** A backup that gets a signal while it copies. */
async function end(file: string, data: string, signal: NodeJS.Signals, names: () => string[]) {
  const before = names().length;
  const command = new Command(["backup", file, "--data", data]);
  await until(() => names().length > before, "it copies");
  command.signal(signal);
  return command.ends();
}

async function backUp(file: string, data: string): Promise<void> {
  const command = new Command(["backup", file, "--data", data]);
  assert.equal(await command.ends(), 0, command.errors);
}

/** As if it had been left two days ago. */
function age(path: string): void {
  const then = Date.now() / 1_000 - TWO_DAYS_SECONDS;
  utimesSync(path, then, then);
}

test("a backup that is told to stop leaves nothing", async (context) => {
  const { data, backups, names } = await prepare(context, 150);
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const) {
    assert.equal(await end(join(backups, "one"), data, signal, names), code);
    assert.deepEqual(names(), [], signal);
  }
});

test("what killed backups left is removed by a later one, when no backup can write to it", async (context) => {
  const { data, backups, names } = await prepare(context, 150);
  assert.equal(await end(join(backups, "monday"), data, "SIGKILL", names), "SIGKILL");
  const [left = ""] = names().filter((name) => !name.endsWith("-journal"));
  assert.match(left, /^monday\.\w{10}\.postrider-draft$/);
  await backUp(join(backups, "tuesday"), data);
  assert.ok(names().includes(left), "a backup may still write to it");
  const alike = {
    folder: "monday.ABCDEFGHJK.postrider-draft",
    link: "monday.ABCDEFGHJL.postrider-draft",
    files: ["monday.2026-11-19", "monday.ABCDEFGHJK", "monday.draft", "a.postrider-draft"],
  };
  mkdirSync(join(backups, alike.folder));
  symlinkSync(join(backups, "tuesday"), join(backups, alike.link));
  for (const name of alike.files) writeFileSync(join(backups, name), "of the operator");
  const journal = "monday.ABCDEFGHJM.postrider-draft-journal";
  writeFileSync(join(backups, journal), "");
  // The process that copied for the killed one may write a while longer.
  await until(async () => {
    rmSync(join(backups, "wednesday"), { force: true });
    for (const name of names()) age(join(backups, name));
    await backUp(join(backups, "wednesday"), data);
    return !names().includes(left);
  }, "the draft is removed");
  const kept = [alike.folder, alike.link, ...alike.files, "tuesday", "wednesday"];
  assert.deepEqual(names(), kept.toSorted());
  assert.ok(existsSync(join(backups, "tuesday")));
});

test("a dump that is told to stop ends pg_dump too", async (context) => {
  const [bin, backups] = [freshFolder(context), freshFolder(context)];
  const script = `for word; do case $word in --file=*) file=\${word#--file=};; esac; done
    echo $$ > "$file"
    exec sleep 600`;
  writeFileSync(join(bin, "pg_dump"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const url = "postgres://db.internal/app";
  const words = ["backup", join(backups, "dump"), "--database-url", url];
  const command = new Command(words, { PATH: `${bin}:/bin:/usr/bin` });
  const written = (): string => {
    const [draft] = readdirSync(backups);
    return draft === undefined ? "" : readFileSync(join(backups, draft), "utf8").trim();
  };
  await until(() => written() !== "", "it dumps");
  const pid = Number(written());
  command.signal("SIGTERM");
  assert.equal(await command.ends(), 143);
  assert.deepEqual(readdirSync(backups), []);
  await until(() => !isRunning(pid), "pg_dump has ended");
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
