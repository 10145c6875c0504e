/** Who may import whom, and where time and chance come in. The plan is drawn in ARCHITECTURE.md. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { edgesOf, readSources, type Edge } from "./sources.ts";

/** The floors of the house, ground first. A room imports from the floors below its own only. */
const FLOORS = [
  ["core", "platform"],
  ["wire", "config", "store", "delivery"],
  ["operations", "engine"],
  ["api", "console"],
  ["service.ts"],
  ["cli", "testing"],
];

/** A package of its own, for other programs: it imports nothing but itself, and of the server only the command line imports it. */
const APART = "sdk";
/** Where time and chance come in: for the service, and for what stands apart. */
const SOURCES_OF_TIME = /^(src\/platform\/|sdk\/src\/runtime\.ts$)/;

/** The rules stand on nothing but a hash, which is pure and which we did not write. */
const CORE_EXCEPTIONS = ["src/core/sha-256.ts -> node:crypto"];

const TIME =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\b|\bhrtime\b/;
const CHANCE = /\bMath\.random\b|\brandom(UUID|Bytes|Int|Fill|FillSync)\b|\bgetRandomValues\b/;

const files = readSources("{src,sdk/src}/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));
const edges = edgesOf(files);

test("every file stands in a room that has a floor", () => {
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.map(({ path }) => path).filter((path) => floorOf(path) === -1 && roomOf(path) !== APART),
    [],
  );
});

test("every import can be read, and stays in the package", () => {
  assert.ok(edges.length > 0);
  const unreadable = files.filter(({ code }) => /\b(import|require)\(\s*[^"'`\s]/.test(code));
  assert.deepEqual(
    unreadable.map(({ path }) => path),
    [],
  );
  const leaving = edges.filter(({ to }) => !/^(sdk\/)?src\//.test(to));
  assert.deepEqual(leaving.map(draw), []);
});

test("imports go down", () => {
  const wrong = edges.filter(
    ({ from, to }) =>
      roomOf(to) !== APART && roomOf(from) !== roomOf(to) && floorOf(to) >= floorOf(from),
  );
  assert.deepEqual(wrong.map(draw), []);
});

test("the SDK stands apart, and on nothing but the web platform", () => {
  const crossing = edges.filter(
    ({ from, to }) => (roomOf(from) === APART) !== (roomOf(to) === APART),
  );
  assert.ok(crossing.length > 0, "the commands are clients of the API");
  assert.deepEqual(crossing.filter(({ from }) => roomOf(from) !== "cli").map(draw), []);
  const sdk = files.filter(({ path }) => roomOf(path) === APART);
  assert.ok(sdk.length > 0);
  const packages = sdk.flatMap(({ path, imports }) =>
    imports.filter((name) => !name.startsWith(".")).map((name) => `${path} -> ${name}`),
  );
  assert.deepEqual(packages, []);
});

test("no file imports itself through others", () => {
  const circles = files.map(({ path }) => wayBackTo(path)).filter((way) => way !== undefined);
  assert.deepEqual(circles, []);
});

test("the core touches nothing outside itself", () => {
  const core = files.filter(({ path }) => roomOf(path) === "core");
  assert.ok(core.length > 0);
  const packages = core.flatMap(({ path, imports }) =>
    imports.filter((name) => !name.startsWith(".")).map((name) => `${path} -> ${name}`),
  );
  const rooms = edges.filter(({ from, to }) => roomOf(from) === "core" && roomOf(to) !== "core");
  const outside = [...packages, ...rooms.map(draw)];
  assert.deepEqual(
    outside.filter((line) => !CORE_EXCEPTIONS.includes(line)),
    [],
  );
});

test("a driver of the store is known to itself and to those who join the parts", () => {
  const leaks = edges.filter(({ from, to }) => {
    const driver = /^src\/store\/(?:sqlite|postgres)\//.exec(to)?.[0];
    if (driver === undefined || from.startsWith(driver)) return false;
    return roomOf(from) !== "service.ts" && roomOf(from) !== "cli";
  });
  assert.deepEqual(leaks.map(draw), []);
});

test("an endpoint asks the store for nothing but through operations", () => {
  const callers = files.filter(({ code }) => /\bstore\??\.\w/.test(code));
  assert.ok(callers.some(({ path }) => roomOf(path) === "operations"));
  assert.deepEqual(
    callers.map(({ path }) => path).filter((path) => roomOf(path) === "api"),
    [],
  );
});

test("time and chance come in through the platform alone", () => {
  const readers = files.filter(({ code }) => TIME.test(code) || CHANCE.test(code));
  assert.ok(readers.length > 0, "platform itself reads both, so these patterns must find it");
  assert.deepEqual(
    readers.map(({ path }) => path).filter((path) => !SOURCES_OF_TIME.test(path)),
    [],
  );
});

function roomOf(path: string): string {
  const [first, second = ""] = path.split("/");
  return first === "src" ? second : APART;
}

function floorOf(path: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(roomOf(path)));
}

/** The shortest circle through a file, drawn; undefined if there is none. */
function wayBackTo(start: string): string | undefined {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const { from, to } of edges) {
      if (from !== way.at(-1) || seen.has(to)) continue;
      if (to === start) return [...way, to].join(" -> ");
      seen.add(to);
      ways.push([...way, to]);
    }
  }
  return undefined;
}

function draw({ from, to }: Edge): string {
  return `${from} -> ${to}`;
}
