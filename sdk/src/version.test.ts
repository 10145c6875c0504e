import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../package.json" with { type: "json" };
import { VERSION } from "./version.ts";

test("the version is that of the package", () => {
  assert.equal(VERSION, manifest.version);
});
