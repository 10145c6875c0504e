import assert from "node:assert/strict";
import { test } from "node:test";
import { missingLines } from "./init.ts";

const ALL = [
  "POSTRIDER_URL",
  "POSTRIDER_TOKEN",
  "POSTRIDER_CURRENT_SIGNING_KEY",
  "POSTRIDER_NEXT_SIGNING_KEY",
];
const namesFor = (before: string) => missingLines(before).map(([name]) => name);

test("an application without credentials gets those of dev", () => {
  assert.deepEqual(namesFor(""), ALL);
  for (const url of ["http://localhost:9000", '"http://127.0.0.1:8080/"', "'http://[::1]:1' "]) {
    assert.deepEqual(namesFor(`OTHER=1\nexport POSTRIDER_URL=${url}\n`), ALL.slice(1));
  }
});

test("public credentials are not added beside real ones, or for a server elsewhere", () => {
  assert.deepEqual(namesFor("POSTRIDER_CURRENT_SIGNING_KEY=sig_mine\n"), ["POSTRIDER_URL"]);
  assert.deepEqual(namesFor("POSTRIDER_TOKEN=mine\n"), ["POSTRIDER_URL"]);
  assert.deepEqual(namesFor("POSTRIDER_URL=https://postrider.example\n"), []);
  assert.deepEqual(namesFor("POSTRIDER_URL=http://localhost.example\n"), []);
  assert.deepEqual(namesFor("POSTRIDER_URL=http://localhost:1\nPOSTRIDER_TOKEN=mine\n"), []);
});
