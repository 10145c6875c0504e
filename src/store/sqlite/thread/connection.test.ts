import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { openReader, openWriter } from "./connection.ts";

/** Keeps the file for itself, as a connection does that recovers the log, and lets go of it soon. */
const HOLD = `
  const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  console.log("held");
  setTimeout(() => database.close(), 300);`;

test("a connection waits for one that keeps the file for itself, also while it opens", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-connection-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "store.db");
  const first = openWriter(path);
  first.exec("CREATE TABLE written (number INTEGER PRIMARY KEY)");
  first.close();
  for (const open of [openWriter, openReader]) {
    const holder = spawn(process.execPath, ["-e", HOLD, path], { stdio: ["ignore", "pipe", 2] });
    await once(holder.stdout!, "data");
    const database = open(path);
    assert.deepEqual(database.prepare("SELECT number FROM written").all(), []);
    database.close();
    await once(holder, "close");
  }
});
