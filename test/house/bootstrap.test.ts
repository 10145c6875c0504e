/** What the first command in a fresh clone fetches, and that it runs nothing else. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { ROOT } from "./sources.ts";

const PACKAGE = `node-${process.platform}-${process.arch}`;
const bootstrap = readFileSync(join(ROOT, "scripts/bootstrap.mjs"), "utf8");
/** Elsewhere no Node is fetched. */
const skip = bootstrap.includes(`"${PACKAGE}"`) ? false : `no Node is fetched for ${PACKAGE}`;

/** What npm brings in place of Node: a program that leaves a trace when it is run. */
const FETCHED = `#!/bin/sh
echo ran >> "$(dirname "$0")/../../../../../trace"
echo v24.21.0
`;

test("both platforms have a hash of their own", () => {
  assert.equal(new Set(bootstrap.match(/sha256: "[0-9a-f]{64}"/g)).size, 2);
});

test("a Node with another hash is refused, and not run", { skip }, (t) => {
  const { root, result } = runBootstrap(t, bootstrap);
  assert.equal(result.status, 1);
  const [, sentence, ...more] = result.stderr.trim().split("\n");
  assert.match(sentence ?? "", /SHA-256 is not [0-9a-f]{64}\. It was not run/);
  assert.deepEqual(more, []);
  assert.ok(!existsSync(join(root, "trace")));
  assert.deepEqual(readdirSync(join(root, ".cache")).toSorted(), [
    "installed-lockfile",
    "installed-test-lockfile",
  ]);
});

test("a Node with the pinned hash is run", { skip }, (t) => {
  const pinned = bootstrap.replaceAll(/[0-9a-f]{64}/g, hashOf(FETCHED));
  const { root, result } = runBootstrap(t, pinned);
  assert.equal(result.status, 0, result.stderr);
  assert.ok(existsSync(join(root, "trace")));
});

test("for an installation alone no Node is fetched, and npm is told nothing of the npm around it", (t) => {
  const npm = `#!/bin/sh\necho "$1 $npm_config_global$npm_config_workspace $npm_config_cache" >> trace\n`;
  const lockfile = `{"packages":{"node_modules/missing":{}}}`;
  const outer = {
    npm_config_global: "true",
    npm_config_workspace: "sdk",
    npm_config_cache: "here",
  };
  const { root, result } = runBootstrap(t, bootstrap, { job: "--install", npm, lockfile, outer });
  assert.equal(result.status, 0, result.stderr);
  assert.equal(readFileSync(join(root, "trace"), "utf8"), "ci  here\n");
});

/** A lockfile with a dependency of the server and one of its build, and an npm that installs what it is asked for. */
const LOCKFILE = `{"packages":{"":{},"node_modules/pg":{},"node_modules/typescript":{"dev":true}}}`;
const SERVED = `{"packages":{"node_modules/pg":{}}}`;
const TEST_LOCKFILE = `{"packages":{"":{},"node_modules/oxlint":{}}}`;
const NPM = `#!/bin/sh
asked=$(echo "$*" | grep -o -e "ci" -e "--omit=dev" -e "--include=dev" -e "--progress=false" | tr "\\n" " ")
echo "$(basename "$PWD" | grep -x test) $asked" | xargs >> "$TRACE"
case "$*" in *--omit=dev*) cp served installed;; *) cp package-lock.json installed;; esac
cp installed node_modules/.package-lock.json
`;

test("the server installs what it needs, tests add the rest, and the stamps say which", (t) => {
  const outer = { TRACE: join(mkdtempFor(t), "trace") };
  const { root, run } = checkout(t, bootstrap, { npm: NPM, lockfile: LOCKFILE, outer });
  writeFileSync(join(root, "served"), SERVED);
  writeFileSync(join(root, "test", "package-lock.json"), TEST_LOCKFILE);
  const installs = (job: string): string[] => {
    writeFileSync(outer.TRACE, "");
    const { status, stderr } = run(job, process.version);
    assert.equal(status, 0, stderr);
    return readFileSync(outer.TRACE, "utf8").split("\n").slice(0, -1);
  };
  const stamps = (): string[] =>
    ["installed-lockfile", "installed-test-lockfile"]
      .map((name) => join(root, ".cache", name))
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path, "utf8"));
  assert.deepEqual(installs("src/cli/main.ts"), ["ci --omit=dev --progress=false"]);
  assert.deepEqual(installs("src/cli/main.ts"), []);
  assert.deepEqual(stamps(), [`serve ${hashOf(LOCKFILE)}`]);
  assert.deepEqual(installs("--install"), ["ci --include=dev --progress=false"]);
  assert.deepEqual(installs("job.js"), ["test ci --include=dev --progress=false"]);
  assert.deepEqual(installs("job.js"), []);
  assert.deepEqual(installs("src/cli/main.ts"), []);
  assert.deepEqual(stamps(), [`all ${hashOf(LOCKFILE)}`, `all ${hashOf(TEST_LOCKFILE)}`]);
});

test("what a contributor installed by hand is stamped, not installed again", (t) => {
  const { root, run } = checkout(t, bootstrap, { npm: "#!/bin/sh\nexit 1\n", lockfile: LOCKFILE });
  const present = join(root, "node_modules", ".package-lock.json");
  const stamp = join(root, ".cache", "installed-lockfile");
  writeFileSync(present, SERVED);
  assert.equal(run("src/cli/main.ts", process.version).status, 0);
  assert.match(readFileSync(stamp, "utf8"), /^serve /);
  assert.equal(run("job.js", process.version).status, 1);
  writeFileSync(present, LOCKFILE);
  assert.equal(run("job.js", process.version).status, 0);
  assert.match(readFileSync(stamp, "utf8"), /^all /);
  writeFileSync(join(root, "test", "package-lock.json"), TEST_LOCKFILE);
  assert.equal(run("src/cli/main.ts", process.version).status, 0);
  assert.equal(run("job.js", process.version).status, 1, "the tests need more");
});

interface Result {
  readonly status: number | null;
  readonly stderr: string;
}

/** Runs the script in a checkout of its own, with a Node that says it is old and an npm that fetches `FETCHED`. */
function runBootstrap(
  t: TestContext,
  script: string,
  { job = "job.js", npm = "", lockfile = NOTHING, outer = {} } = {},
): { root: string; result: Result } {
  const { root, run } = checkout(t, script, { npm, lockfile, outer });
  return { root, result: run(job, "v20.0.0") };
}

/** The content of a lockfile, and npm's record of what is installed. */
const NOTHING = `{"packages":{}}`;

/** A checkout with the script, an npm, and two jobs that do nothing. */
function checkout(
  t: TestContext,
  script: string,
  { npm = "", lockfile = "", outer = {} },
): { root: string; run: (job: string, version: string) => Result } {
  const root = mkdtempFor(t);
  for (const folder of ["scripts", "bin", ".cache", "src/cli"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, "scripts", "bootstrap.mjs"), script);
  for (const place of [root, join(root, "test")]) {
    mkdirSync(join(place, "node_modules"), { recursive: true });
    writeFileSync(join(place, "package-lock.json"), place === root ? lockfile : NOTHING);
    writeFileSync(join(place, "node_modules", ".package-lock.json"), NOTHING);
  }
  for (const job of ["job.js", "src/cli/main.ts"]) writeFileSync(join(root, job), "");
  writeFileSync(join(root, "fetched"), FETCHED);
  const program = `$3/node_modules/${PACKAGE}/bin/node`;
  const fetching = `#!/bin/sh\nmkdir -p "$(dirname "${program}")"; cp "${root}/fetched" "${program}"; chmod +x "${program}"\n`;
  writeFileSync(join(root, "bin", "npm"), npm || fetching);
  chmodSync(join(root, "bin", "npm"), 0o755);
  const env = { ...process.env, ...outer, PATH: `${join(root, "bin")}:${process.env["PATH"]}` };
  const run = (job: string, version: string): Result => {
    const posing = `data:text/javascript,Object.defineProperty(process,"version",{value:"${version}"})`;
    const args = ["--import", posing, join(root, "scripts", "bootstrap.mjs"), job];
    return spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  };
  return { root, run };
}

function mkdtempFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "postrider-bootstrap-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
