import assert from "node:assert/strict";
import { test } from "node:test";

import { forLibpq, withoutPassword } from "./dump-postgres.ts";

const CASES: readonly [given: string, url: string, password: string | null][] = [
  ["postgres://user:pass%20word@db:5433/app", "postgres://user@db:5433/app", "pass word"],
  ["postgres://user@db/app", "postgres://user@db/app", null],
  ["postgres://user:p@/app?host=/run/pg", "postgres://user@/app?host=/run/pg", "p"],
  [
    "postgres://u@db/app?password=a%26b&sslmode=require",
    "postgres://u@db/app?sslmode=require",
    "a&b",
  ],
  ["postgres://u@db/app?sslmode=require&password=x", "postgres://u@db/app?sslmode=require", "x"],
  ["postgres://user:50%@db/app", "postgres://user@db/app", "50%"],
];

for (const [given, url, password] of CASES) {
  test(`the address without its password: ${url}`, () => {
    assert.deepEqual(withoutPassword(given), { url, password });
  });
}

const LIBPQ: readonly [given: string, url: string][] = [
  ["postgres://u@db/app", "postgres://u@db/app"],
  ["postgres://u@db/app?sslmode=no-verify", "postgres://u@db/app?sslmode=require"],
  ["postgres://u@db/app?sslmode=no-verify&x=1", "postgres://u@db/app?sslmode=require&x=1"],
  ["postgres://u@db/app?sslmode=verify-full", "postgres://u@db/app?sslmode=verify-full"],
  [
    "postgres://u@db/app?uselibpqcompat=true&sslmode=require",
    "postgres://u@db/app?sslmode=require",
  ],
  [
    "postgres://u@db/app?sslmode=require&uselibpqcompat=true",
    "postgres://u@db/app?sslmode=require",
  ],
];

for (const [given, url] of LIBPQ) {
  test(`the address in the words of pg_dump: ${given}`, () => assert.equal(forLibpq(given), url));
}
