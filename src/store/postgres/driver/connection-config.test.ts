import assert from "node:assert/strict";
import { test } from "node:test";
import { withStrictTls } from "./connection-config.ts";

const CASES: readonly [given: string, strict: string][] = [
  ["postgres://u@db/app", "postgres://u@db/app"],
  ["postgres://u@db/app?sslmode=require", "postgres://u@db/app?sslmode=verify-full"],
  ["postgres://u@db/app?x=1&sslmode=prefer&y=2", "postgres://u@db/app?x=1&sslmode=verify-full&y=2"],
  ["postgres://u@db/app?sslmode=verify-ca", "postgres://u@db/app?sslmode=verify-full"],
  ["postgres://u@db/app?sslmode=disable", "postgres://u@db/app?sslmode=disable"],
  ["postgres://u@db/app?sslmode=no-verify", "postgres://u@db/app?sslmode=no-verify"],
  [
    "postgres://u@db/app?uselibpqcompat=true&sslmode=require",
    "postgres://u@db/app?uselibpqcompat=true&sslmode=require",
  ],
];

for (const [given, strict] of CASES) {
  test(`what sslmode demands: ${given}`, () => assert.equal(withStrictTls(given), strict));
}
