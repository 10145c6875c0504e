/** Which folders there are: the same features on every floor, so that a feature is found by name. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { test } from "node:test";
import { readSources } from "./sources.ts";

const FEATURES = ["message", "url-group", "line", "schedule", "workflow", "account"];
const DRIVER = ["group", "claim", "tables", "reads", "upkeep"];

/** What each folder of `src` holds beside files. */
const PLAN: Readonly<Record<string, readonly string[]>> = {
  core: ["acts", "model", "rules", "policy", "views"],
  "core/model": FEATURES,
  "core/rules": FEATURES,
  "core/policy": ["egress", "retry", "cron", "limits", "headers"],
  wire: ["headers", "json", "filters", ...FEATURES],
  store: ["group", "records", "reads", "sqlite", "postgres"],
  "store/sqlite": ["thread", ...DRIVER],
  "store/postgres": ["driver", ...DRIVER],
  delivery: ["http", "guard", "signature", "channel"],
  operations: FEATURES,
  engine: ["dispatch", "schedule", "workflow", "cluster", "upkeep"],
  api: ["http", ...FEATURES],
};

const folders = foldersOf(readSources("src/**/*.ts").map(({ path }) => path));

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
