/** What any file of the repository keeps to, whatever it is about. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSources, repositoryFiles, ROOT } from "./sources.ts";

const LINES_MAX = 300;
/** Names that say nothing, and so gather everything. */
const EMPTY_NAMES = /^(utils?|helpers?|common|index)(\.|$)/;

const code = readSources(
  "{src,test,sdk}/**/*.ts",
  "dashboard/src/**/*.{ts,tsx,css}",
  "{dashboard,scripts}/*.mjs",
);

test(`no file is longer than ${LINES_MAX} lines`, () => {
  assert.ok(code.length > 0);
  const long = code.filter(({ text }) => text.trimEnd().split("\n").length > LINES_MAX);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  );
});

test("no file or folder has an empty name", () => {
  const empty = code.filter(({ path }) => path.split("/").some((name) => EMPTY_NAMES.test(name)));
  assert.deepEqual(
    empty.map(({ path }) => path),
    [],
  );
});

test("nothing is exported as default", () => {
  const wrong = code.filter(({ code: text }) =>
    /^\s*export\s+(default\b|\{[^}]*\bas default\b)/m.test(text),
  );
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
});

test("no file names a package registry or a path of one machine", () => {
  const forbidden = /registry\.(npmjs|yarnpkg)|npm\.pkg\.github|(?<![\w.@*-])\/(work|root)\//;
  assert.match(["see ", "root", "notes"].join("/"), forbidden);
  const files = repositoryFiles();
  assert.ok(files.includes("package.json"));
  const found = files.filter((file) => forbidden.test(read(file)));
  assert.deepEqual(found, []);
});

test("the lockfiles leave the choice of a registry to the reader", () => {
  const entries = ["package-lock.json", "test/package-lock.json"].flatMap((path) => {
    const text = read(path);
    assert.ok(text.includes('"integrity"'));
    return Object.values((JSON.parse(text) as Lockfile).packages);
  });
  const resolved = entries.filter((entry) => entry.resolved !== undefined);
  // A workspace is a folder of this repository, and a lockfile can say so in no other way.
  assert.deepEqual(
    resolved.map((entry) => [entry.resolved, entry.link]),
    [
      ["dashboard", true],
      ["sdk", true],
    ],
  );
});

test("the dashboard is not published by itself, and has the version of the server", () => {
  const server = JSON.parse(read("package.json")) as Record<string, unknown>;
  const dashboard = JSON.parse(read("dashboard/package.json")) as Record<string, unknown>;
  assert.equal(dashboard["private"], true);
  assert.equal(dashboard["version"], server["version"]);
});

test("what builds the dashboard is installed to serve a clone, and is no dependency of the package", () => {
  type Manifest = Readonly<Record<"dependencies" | "devDependencies", object | undefined>>;
  const server = JSON.parse(read("package.json")) as Manifest;
  const dashboard = JSON.parse(read("dashboard/package.json")) as Manifest;
  assert.equal(dashboard.devDependencies, undefined);
  const building = Object.keys(dashboard.dependencies ?? {});
  assert.ok(building.includes("esbuild"));
  const served = Object.keys(server.dependencies ?? {});
  assert.deepEqual(
    building.filter((name) => served.includes(name)),
    [],
  );
});

test("the package of the SDK asks for nothing, and has the license and the version of the server", () => {
  const server = JSON.parse(read("package.json")) as Record<string, unknown>;
  const sdk = JSON.parse(read("sdk/package.json")) as Record<string, unknown>;
  const asking = /^(d|peerD|optionalD|bundleD|bundledD)ependencies$/;
  assert.deepEqual(
    Object.keys(sdk).filter((name) => asking.test(name)),
    [],
  );
  assert.equal(sdk["version"], server["version"]);
  assert.equal(read("sdk/LICENSE"), read("LICENSE"));
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly resolved?: string;
  readonly link?: boolean;
}
