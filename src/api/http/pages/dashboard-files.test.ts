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
  const writeManifest = (text: string, builtAt = (builds += 1)): void => {
    const path = join(folder, "manifest.json");
    writeFileSync(path, text);
    utimesSync(path, builtAt, builtAt);
  };
  return { folder, files: new DashboardFiles(folder), writeManifest };
}

function manifest(file: string, assets: readonly string[] = []): string {
  const page = { path: "/", file, type: "text/html", hash: file };
  const others = assets.map((name) => ({
    path: `/assets/${name}`,
    file: name,
    type: "text/css",
    hash: `hash of ${name}`,
  }));
  return JSON.stringify({ files: [page, ...others] });
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

test("a file is shown as the build has it, also before any page was", (t) => {
  const { folder, files, writeManifest } = open(t);
  assert.equal(files.asset("/assets/a.css"), null);
  writeFileSync(join(folder, "page"), "1");
  writeFileSync(join(folder, "a.css"), "2");
  writeManifest(manifest("page", ["a.css"]));
  const type = "text/css";
  const compressed = Buffer.from("2");
  const wanted = { type, hash: "hash of a.css", compressed, plain: null };
  assert.deepEqual(files.asset("/assets/a.css"), wanted);
  assert.equal(files.asset("/assets/b.css"), null);
  assert.equal(files.page()?.type, "text/html");
});

test("a page that is open finds its files until the page of the newer build is asked for", (t) => {
  const { folder, files, writeManifest } = open(t);
  for (const name of ["page", "old.css", "new.css"]) writeFileSync(join(folder, name), name);
  writeManifest(manifest("page", ["old.css"]));
  files.page();
  writeManifest(manifest("page", ["new.css"]));
  assert.ok(files.asset("/assets/old.css"));
  assert.equal(files.asset("/assets/new.css"), null);
  files.page();
  assert.equal(files.asset("/assets/old.css"), null);
  assert.ok(files.asset("/assets/new.css"));
});

test("a build is read once, and stays when its folder goes", (t) => {
  const { folder, files, writeManifest } = open(t);
  writeFileSync(join(folder, "page"), "1");
  writeManifest(manifest("page"));
  const page = files.page();
  assert.ok(page);
  assert.equal(files.page(), page, "it is the same object, with what was decompressed of it");
  rmSync(join(folder, "manifest.json"));
  assert.equal(files.page(), page);
});

test("an older build takes the place of a newer one, and may be of the first second of all", (t) => {
  const { folder, files, writeManifest } = open(t);
  for (const name of ["epoch", "newer", "older"]) writeFileSync(join(folder, name), name);
  writeManifest(manifest("epoch"), 0);
  assert.equal(files.page()?.hash, "epoch");
  writeManifest(manifest("newer"), 1_000);
  assert.equal(files.page()?.hash, "newer");
  writeManifest(manifest("older"), 999);
  assert.equal(files.page()?.hash, "older");
});
