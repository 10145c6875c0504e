import assert from "node:assert/strict";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";

import { DashboardFiles } from "./dashboard-files.ts";

/** A folder into which builds are written, as of different seconds. */
function open(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "postrider-dashboard-"));
  context.after(() => rmSync(folder, { recursive: true }));
  let builds = 0;
  const writeManifest = (text: string): void => {
    const path = join(folder, "manifest.json");
    writeFileSync(path, text);
    builds += 1;
    utimesSync(path, builds, builds);
  };
  return { folder, files: new DashboardFiles(folder), writeManifest };
}

function manifest(file: string): string {
  return JSON.stringify({ files: [{ path: "/", file, type: "text/html", hash: file }] });
}

test("without a build there is no page", (t) => {
  const { files, writeManifest } = open(t);
  assert.equal(files.page(), null);
  writeManifest("{");
  assert.equal(files.page(), null);
});

test("while a build is being replaced the one before is shown, and then the new one", (t) => {
  const { folder, files, writeManifest } = open(t);
  writeFileSync(join(folder, "first"), "1");
  writeManifest(manifest("first"));
  assert.equal(files.page()?.hash, "first");
  for (const unfinished of ["", "{", manifest("second")]) {
    writeManifest(unfinished);
    assert.equal(files.page()?.hash, "first");
    assert.equal(files.asset("/")?.hash, "first");
  }
  writeFileSync(join(folder, "second"), "2");
  assert.equal(files.page()?.hash, "second");
});
