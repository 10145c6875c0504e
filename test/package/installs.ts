/** Installs from a folder and from git, which take minutes: `npm run prove -- --only installs`. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkOut, run } from "./checkout.ts";
import { bothWork, project, serverWorks } from "./consumer.ts";

const folder = mkdtempSync(join(tmpdir(), "postrider-installs-"));
const repository = join(folder, "repository");
const checkout = join(folder, "checkout");

before(() => checkOut(repository));
after(() => rmSync(folder, { recursive: true, force: true }));

test("both are installed from a checkout in which nothing is installed", () => {
  run("git", ["clone", "--quiet", `file://${repository}`, checkout], folder);
  const home = join(folder, "folders");
  project(home, [checkout, join(checkout, "sdk")]);
  bothWork(home);
  assert.ok(existsSync(join(checkout, "sdk/dist")));
});

test("the server is installed from git", () => {
  const home = join(folder, "git");
  project(home, [`git+file://${repository}`]);
  serverWorks(home);
  assert.ok(!existsSync(join(home, "node_modules/typescript")));
});
