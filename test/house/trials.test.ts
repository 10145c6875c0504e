/**
 * The table of CONTRIBUTING.md names every file that a change touches: for some rows a patch adds a
 * trial, and all of them are applied to a copy, in which the pages are written and the types checked.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { runStaticCheck, STATIC_CHECKS } from "../support/static-checks.ts";
import { pathsIn, rowsOf } from "./markdown.ts";
import { repositoryFiles, ROOT } from "./sources.ts";

/** Where the commands write a trial once it is in its table. */
const SHOWN_IN: Readonly<Record<string, readonly string[]>> = {
  "a header": ["docs/reference/headers.md"],
  "a filter of a list": [],
  "a limit": ["docs/reference/limits.md"],
  "a field in an answer": ["sdk/src/answers/line.ts"],
  "a metric": [],
  "a count of the statistics": ["dashboard/src/answers/stats.ts"],
  "a column of the dashboard": [],
  "a type of workflow step": [],
};

const TRIALS = join(ROOT, "test/house/trials");
const contributing = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
const rows = rowsOf(contributing, "How to change it");
let copy = "";

before(() => {
  copy = mkdtempSync(join(tmpdir(), "postrider-trials-"));
  for (const path of repositoryFiles()) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(copy, path));
  }
  for (const packages of ["node_modules", "test/node_modules"]) {
    symlinkSync(join(ROOT, packages), join(copy, packages));
  }
});
after(() => rmSync(copy, { recursive: true, force: true }));

for (const want of Object.keys(SHOWN_IN)) {
  test(`${want}: a trial touches what the table names`, () => {
    const row = rows.find(([name]) => name === want);
    assert.ok(row, `CONTRIBUTING.md has no row for ${want}`);
    const [, toTouch = "", until = ""] = row;
    const named = [...pathsIn(toTouch), ...pathsIn(until)];
    const touched = touchedBy(readFileSync(patchOf(want), "utf8"));
    assert.deepEqual(
      touched.filter((file) => !named.some((path) => covers(path, file))),
      [],
      "touched, and not named",
    );
    assert.deepEqual(
      pathsIn(toTouch).filter((path) => !touched.some((file) => covers(path, file))),
      [],
      "named, and not touched",
    );
  });
}

test("no patch is left that no row stands behind", () => {
  assert.deepEqual(
    readdirSync(TRIALS)
      .toSorted()
      .map((name) => join(TRIALS, name)),
    Object.keys(SHOWN_IN).map(patchOf).toSorted(),
  );
});

test("with all trials the pages are written, and the types agree", async () => {
  for (const want of Object.keys(SHOWN_IN)) inCopy("git", "apply", "--verbose", patchOf(want));
  inCopy(process.execPath, "test/house/write-reference.ts");
  for (const [want, pages] of Object.entries(SHOWN_IN)) {
    for (const page of pages) {
      const text = readFileSync(join(copy, page), "utf8");
      assert.ok(/trial/i.test(text), `${want} is not in ${page}`);
    }
  }
  const checks = STATIC_CHECKS.filter(({ name }) => name.startsWith("types"));
  assert.equal(checks.length, 3);
  for (const check of checks) assert.equal(await runStaticCheck(check, copy), undefined);
});

function patchOf(want: string): string {
  return join(TRIALS, `${want.replaceAll(" ", "-")}.patch`);
}

function covers(path: string, file: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}

function touchedBy(patch: string): string[] {
  return Array.from(patch.matchAll(/^\+\+\+ b\/(.+)$/gm), ([, file]) => file!);
}

function inCopy(command: string, ...given: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, given, { cwd: copy, encoding: "utf8" });
  assert.equal(status, 0, `${command} ${given.join(" ")}\n${stdout}${stderr}`);
}
