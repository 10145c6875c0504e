import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { lookUp, type Reading, rowsOf } from "../../reads/reading.ts";
import { openReader, openWriter } from "../thread/connection.ts";
import { snapshotReader } from "./run-reading.ts";

test("a read sees one state of the store, though a writer commits between its statements", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-reading-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "store.db");
  const writer = openWriter(path);
  writer.exec("CREATE TABLE written (number INTEGER PRIMARY KEY); INSERT INTO written VALUES (1)");
  const reader = openReader(path);
  const run = snapshotReader(reader, []);
  function* countTwice(): Reading<number[]> {
    const before = yield* rowsOf("SELECT number FROM written");
    writer.exec("INSERT INTO written SELECT max(number) + 1 FROM written");
    const after = yield* lookUp("SELECT number FROM written WHERE number = $1", [[1], [2]]);
    return [before.length, after.flat().length];
  }
  assert.deepEqual(run(countTwice()), [1, 1]);
  assert.throws(() => run(rowsOf("SELECT missing FROM written")), /no such column/);
  assert.deepEqual(run(rowsOf("SELECT number FROM written")).length, 2);
  reader.close();
  writer.close();
});

test("parameters are told apart by their numbers", () => {
  const database = openWriter(":memory:");
  const run = snapshotReader(database, []);
  const found = run(lookUp("SELECT $2 || $1 || $3 AS text", [["a", "b"]], ["c"]));
  assert.deepEqual(found[0]![0]!["text"], "bac");
  database.close();
});
