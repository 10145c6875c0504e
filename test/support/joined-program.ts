/**
 * Joins the modules of the program that tests start as a process. Reading hundreds of them takes half of the
 * processor time of a start, so a run of all tests does it once. A run of some files starts the source.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type OutputFile, type Plugin } from "esbuild";
import { SOURCE } from "./program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, ".cache", "program");
/** Its passwords are derived in no time, as those of tests in `quick-passwords.ts`. */
const PASSWORDS = {
  file: "src/platform/password.ts",
  cost: "const COST = 15;",
  quick: "const COST = 4;",
};
const THREADS = "src/store/sqlite/thread";

/** Test files find it in TEST_PROGRAM. Its threads have files of their own, as in the package. */
export async function joinProgram(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [SOURCE, join(THREADS, "writer-thread.ts"), join(THREADS, "reader-thread.ts")],
    entryNames: "[name]",
    bundle: true,
    splitting: true,
    write: false,
    platform: "node",
    format: "esm",
    external: ["pg-native"],
    // Packages that are no modules call it.
    banner: {
      js: `import { createRequire as c } from "node:module"; const require = c(import.meta.url);`,
    },
    outdir: FOLDER,
    plugins: [ownPlaces, builtIns],
    logLevel: "warning",
  });
  process.env["TEST_PROGRAM"] = join(keep(outputFiles), "main.js");
}

/** They take themselves for joined: threads are beside the joined program, and a start builds no dashboard. */
const JOINED = [`${THREADS}/thread-calls.ts`, "src/cli/server/run-service.ts"];

/** Each other module finds the files beside it. */
const ownPlaces: Plugin = {
  name: "own places",
  setup(building) {
    building.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const source = fs.readFileSync(path, "utf8");
      const place = JSON.stringify(pathToFileURL(path).href);
      const isJoined = JOINED.some((name) => path.endsWith(name));
      const placed = isJoined ? source : source.replaceAll("import.meta.url", place);
      const contents = path.endsWith(PASSWORDS.file) ? withQuickPasswords(placed) : placed;
      return { contents, loader: "ts" };
    });
  },
};

function withQuickPasswords(source: string): string {
  const quick = source.replace(PASSWORDS.cost, PASSWORDS.quick);
  if (quick === source) throw new Error(`${PASSWORDS.file} has no ${PASSWORDS.cost}`);
  return quick;
}

/**
 * An import of a module of Node reads everything that the module exports: of `node:http` that is a whole client, of
 * `node:process` a list of all its options. Here each is read when it is used.
 */
const builtIns: Plugin = {
  name: "modules of Node",
  setup(building) {
    building.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "node" }));
    building.onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

/** In a folder named after its content: another run of the same source may be using it. */
function keep(files: readonly OutputFile[]): string {
  const hash = createHash("sha256");
  for (const { path, contents } of files) hash.update(basename(path)).update(contents);
  const name = hash.digest("hex").slice(0, 16);
  fs.mkdirSync(FOLDER, { recursive: true });
  for (const other of fs.readdirSync(FOLDER)) {
    if (other !== name) fs.rmSync(join(FOLDER, other), { recursive: true, force: true });
  }
  const target = join(FOLDER, name);
  const draft = fs.mkdtempSync(`${FOLDER}-`);
  for (const { path, contents } of files) fs.writeFileSync(join(draft, basename(path)), contents);
  try {
    fs.renameSync(draft, target);
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    if (!fs.existsSync(target)) throw error;
  }
  return target;
}
