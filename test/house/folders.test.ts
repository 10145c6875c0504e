/** Which folders there are: the same features on every floor, so that a feature is found by name. */
import assert from "node:assert/strict";
import { basename, dirname } from "node:path";
import { test } from "node:test";
import { readSources } from "./sources.ts";

const FEATURES = ["message", "url-group", "line", "schedule", "workflow", "account"];
const DRIVER = ["group", "claim", "tables", "reads", "upkeep", "move"];
/** What the reads of a driver have besides its own statements for the nouns. */
const DRIVER_READS = ["reader.ts", "run-reading.ts", "run-reading.test.ts"];

/** What each folder of `src` holds beside files. */
const PLAN: Readonly<Record<string, readonly string[]>> = {
  core: ["model", "rules", "policy", "views"],
  "core/model": FEATURES,
  "core/rules": FEATURES,
  "core/policy": ["egress", "retry", "failure", "cron", "limits", "headers"],
  wire: ["headers", "json", "filters", ...FEATURES],
  store: ["group", "reader", "records", "reads", "upkeep", "move", "sqlite", "postgres"],
  "store/sqlite": ["thread", ...DRIVER],
  "store/postgres": ["driver", ...DRIVER],
  delivery: ["http", "guard", "signature"],
  operations: FEATURES,
  engine: ["dispatch", "schedule", "workflow", "cluster", "upkeep"],
  api: ["http", "reference", ...FEATURES],
  cli: ["account", "commands", "doctor", "incident", "server", "store", "terminal"],
  "api/http": ["server", "callers", "limits", "answers", "pages"],
};

const sourcePaths = readSources("src/**/*.ts").map(({ path }) => path);
const folders = foldersOf(sourcePaths);

for (const [parent, planned] of Object.entries(PLAN)) {
  test(`src/${parent} holds the planned folders`, () => {
    const found = folders.filter((folder) => dirname(folder) === `src/${parent}`);
    const expected = planned.map((name) => `src/${parent}/${name}`);
    assert.deepEqual(found.toSorted(), expected.toSorted());
  });
}

test("no other folder is divided", () => {
  const divided = folders.map((folder) => dirname(folder).slice("src/".length));
  const unplanned = divided.filter((parent) => parent.includes("/") && !(parent in PLAN));
  assert.deepEqual(unplanned, []);
});

test("the drivers of the store have the same folders", () => {
  assert.ok(inside("sqlite").length > 0);
  assert.deepEqual(inside("sqlite"), inside("postgres"));
});

test("a noun that has a file in the reader has one in the reads, and drivers have no other nouns", () => {
  const nouns = filesIn("src/store/reader").filter((name) => name !== "page.ts");
  assert.ok(nouns.length > 0);
  const shared = filesIn("src/store/reads");
  assert.deepEqual(
    nouns.filter((name) => !shared.includes(name)),
    [],
  );
  for (const driver of ["sqlite", "postgres"]) {
    const own = filesIn(`src/store/${driver}/reads`).filter((name) => !DRIVER_READS.includes(name));
    assert.ok(own.length > 0);
    assert.deepEqual(
      own.filter((name) => !nouns.includes(name)),
      [],
    );
  }
});

function filesIn(folder: string): string[] {
  return sourcePaths.filter((path) => dirname(path) === folder).map((path) => basename(path));
}

/** The folders of a driver, without that of its own way to the database. */
function inside(driver: string): string[] {
  return folders
    .filter((folder) => dirname(folder) === `src/store/${driver}`)
    .map((folder) => folder.split("/").at(-1)!)
    .filter((name) => name !== "thread" && name !== "driver");
}

function foldersOf(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) found.add(folder);
  }
  return [...found].toSorted();
}
