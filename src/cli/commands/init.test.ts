import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "../command-error.ts";
import { frameworkIn, missingLines } from "./init.ts";

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

test("the framework is the one that package.json names", () => {
  assert.equal(frameworkIn('{"dependencies": {"hono": "4"}}'), "hono");
  assert.equal(frameworkIn('{"devDependencies": {"next": "16"}}'), "next");
  for (const none of ["{}", "null", "[]", '{"dependencies": {"left-pad": "1"}}']) {
    assert.equal(frameworkIn(none), "none");
  }
});

test("a package.json that is no JSON is a sentence", () => {
  for (const text of ["", "{bad", "\uFEFF{"]) {
    assert.throws(() => frameworkIn(text), {
      name: CommandError.name,
      message: /^package\.json cannot be read as JSON: /,
    });
  }
});
