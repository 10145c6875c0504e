/** Installs from a folder and from git, which take minutes: `npm run prove -- --only installs`. */
import assert from "node:assert/strict";
import { cpSync, existsSync, globSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../house/sources.ts";
import { checkOut, npm, run } from "./checkout.ts";
import { bothWork, project, serverWorks } from "./consumer.ts";
import { firstMinutes, keysOfPackage } from "./first-minutes.ts";

const folder = mkdtempSync(join(tmpdir(), "postrider-installs-"));
const repository = join(folder, "repository");
const checkout = join(folder, "checkout");

before(() => checkOut(repository));
after(() => rmSync(folder, { recursive: true, force: true }));

test("both are installed from a checkout in which nothing is installed", () => {
  run("git", ["clone", "--quiet", `file://${repository}`, checkout], folder);
  const home = join(folder, "folders");
  project(home, [checkout, join(checkout, "sdk")]);
  // npm links the folders.
  bothWork(home, "helped");
  assert.ok(existsSync(join(checkout, "sdk/dist")));
  assert.ok(!existsSync(join(checkout, "test/node_modules")), "no build needs what tests need");
});

test("the packed packages work on Node 22, from their first minutes on", async (t) => {
  const packed = join(folder, "packed");
  cpSync(repository, packed, { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(packed, "node_modules"));
  npm(["pack", "--workspace", "sdk"], packed);
  npm(["pack"], packed);
  const tarballs = globSync("postrider-*.tgz", { cwd: packed }).map((name) => join(packed, name));
  assert.equal(tarballs.length, 2);
  const home = join(folder, "node-22");
  project(home, tarballs);
  const [program, version] = [`node-${process.platform}-${process.arch}`, "22.23.3"];
  npm(["install", "--prefix", join(folder, "node"), `${program}@${version}`], folder);
  const path = join(folder, "node", "node_modules", program, "bin", "node");
  const node = { path, version: `v${version}` };
  await firstMinutes(home, node);
  await keysOfPackage(t, home, node);
});

test("the server is installed from git", () => {
  const home = join(folder, "git");
  project(home, [`git+file://${repository}`]);
  serverWorks(home);
  assert.ok(!existsSync(join(home, "node_modules/typescript")));
});
