/** Which manifest a package stands in: npm installs all of the root's where it installs the server from git. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import server from "../../package.json" with { type: "json" };
import { readSources, ROOT } from "./sources.ts";

const ofServer = lockedVersions("package-lock.json");
const ofTests = lockedVersions("test/package-lock.json");

test("the root asks for what builds the server and what tests beside the sources import", () => {
  const imported = packagesImportedIn("{src,sdk/src}/**/*.ts");
  const extra = Object.keys(server.devDependencies).filter(
    (name) => !imported.has(name) && !name.startsWith("@types/") && name !== "typescript",
  );
  assert.deepEqual(extra, []);
  const declared = { ...server.dependencies, ...server.devDependencies };
  const besides = [...packagesImportedIn("{src,sdk/src}/**/*.test.ts")];
  assert.deepEqual(
    besides.filter((name) => name !== "node" && !(name in declared)),
    [],
  );
});

test("a package that is installed in both places has one version", () => {
  const shared = [...ofTests].filter(([path]) => ofServer.has(path));
  assert.ok(shared.some(([path]) => path === "node_modules/@types/node"));
  assert.deepEqual(
    shared.filter(([path, version]) => ofServer.get(path) !== version),
    [],
  );
});

test("tests that watch a package at work import the one that the server imports", () => {
  const imported = packagesImportedIn("test/**/*.ts");
  assert.ok(imported.has("pg"));
  const names = Object.keys({ ...server.dependencies, ...server.devDependencies });
  assert.deepEqual(
    names.filter((name) => imported.has(name) && ofTests.has(`node_modules/${name}`)),
    [],
  );
});

/** By the path of what is installed; that of the manifest itself is empty. */
function lockedVersions(file: string): Map<string, string | undefined> {
  const lock = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as {
    packages: Record<string, { version?: string }>;
  };
  const installed = Object.entries(lock.packages).filter(([path]) => path !== "");
  return new Map(installed.map(([path, { version }]) => [path, version]));
}

function packagesImportedIn(pattern: string): Set<string> {
  const names = readSources(pattern).flatMap(({ imports }) => imports);
  return new Set(names.flatMap((name) => /^(?:@[^/]+\/)?[^./@:][^/:]*/.exec(name)?.[0] ?? []));
}
