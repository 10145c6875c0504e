// Compiles the server into dist/, or with `sdk` the SDK into sdk/dist/. npm runs it as `prepare`: for `npm pack`, and
// where a package is installed from a folder or from git. It runs on Node 20.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, process.argv[2] ?? ".");
const source = join(home, "src");
const target = join(home, "dist");
const compilerIn = (folder) => join(folder, "node_modules", "typescript", "bin", "tsc");
let compiler = compilerIn(root);

// Where npm prepares a git dependency, it installs for the build first, and then builds by itself.
if (npmInstallsHere() && process.env["_PACOTE_NO_PREPARE_"]) process.exit(0);
if (!fs.existsSync(compiler) || fs.existsSync(join(root, ".cache", "install.lock"))) {
  if (npmInstallsHere()) {
    process.stderr.write("Postrider was not built, since its compiler is not installed.\n");
    process.exit(0);
  }
  installForBuild();
}
fs.rmSync(target, { recursive: true, force: true });
// The types are checked by `npm run check`: a build that did it again would take twice as long.
run(compiler, "--project", join(home, "tsconfig.build.json"), "--noCheck");
if (home === root) gather(join(target, "compiled"));
for (const name of fs.readdirSync(source, { recursive: true })) {
  if (name.endsWith(".sql")) fs.cpSync(join(source, name), join(target, name));
}
if (home === root) run(join(root, "dashboard", "build.mjs"), join(target, "dashboard"));
const command = join(target, "cli", "postrider.js");
if (fs.existsSync(command)) fs.chmodSync(command, 0o755);

/** The SDK needs nothing but the compiler, which does not touch what is installed; the server needs the rest. */
function installForBuild() {
  const bootstrap = join(root, "scripts", "bootstrap.mjs");
  if (home === root) return run(bootstrap, "--install");
  const { packages } = JSON.parse(fs.readFileSync(join(root, "package-lock.json"), "utf8"));
  const own = join(root, ".cache", `typescript-${packages["node_modules/typescript"].version}`);
  compiler = compilerIn(own);
  if (!fs.existsSync(compiler)) run(bootstrap, "--install-compiler", own);
}

/** The commands of the server are a client of it: the package has its own copy of the SDK, beside their folder. */
function gather(built) {
  for (const name of fs.readdirSync(join(built, "src"))) {
    fs.renameSync(join(built, "src", name), join(target, name));
  }
  fs.renameSync(join(built, "sdk", "src"), join(target, "sdk"));
  fs.rmSync(built, { recursive: true });
  for (const name of fs.readdirSync(join(target, "cli"), { recursive: true })) {
    const path = join(target, "cli", name);
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    fs.writeFileSync(path, fs.readFileSync(path, "utf8").replaceAll("../sdk/src/", "sdk/"));
  }
}

/** True within an `npm install` of this checkout: what it leaves out is not to be brought in behind its back. */
function npmInstallsHere() {
  const { npm_command: work = "", npm_config_local_prefix: place } = process.env;
  if (!["install", "ci", "update"].includes(work) || place === undefined) return false;
  return `${fs.realpathSync(place)}${sep}`.startsWith(`${fs.realpathSync(root)}${sep}`);
}

function run(script, ...parameters) {
  const { status } = spawnSync(process.execPath, [script, ...parameters], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
