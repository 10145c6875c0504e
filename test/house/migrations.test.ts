import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./sources.ts";

test("both databases migrate by the same steps", () => {
  assert.deepEqual(migrationsOf("sqlite"), migrationsOf("postgres"));
});

test("migrations are numbered without a gap and named for what they do", () => {
  const names = migrationsOf("sqlite");
  assert.deepEqual(
    names.filter((name) => !/^\d{4}-[a-z0-9]+(-[a-z0-9]+)*\.sql$/.test(name)),
    [],
  );
  assert.deepEqual(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, index) => index + 1),
  );
});

function migrationsOf(driver: string): string[] {
  return globSync("*", { cwd: join(ROOT, "src/store", driver, "migrations") }).toSorted();
}
