// Builds the dashboard into the folder that is given: `node dashboard/build.mjs .cache/dashboard`. It does nothing when
// the folder already holds what these sources make. It runs on Node 20, where npm prepares a package.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(here, "..", ".cache", "dashboard"));
const CONTENT_TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const sources = hashOfSources();
if (builtFrom(target) !== sources) await build();

async function build() {
  const { build: bundle } = await import("esbuild");
  const { outputFiles, metafile } = await bundle({
    entryPoints: {
      app: join(here, "src", "main.tsx"),
      style: join(here, "src", "style", "all.css"),
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    splitting: true,
    metafile: true,
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: target,
    legalComments: "eof",
    logLevel: "warning",
  });
  const icon = fs.readFileSync(join(here, "favicon.svg"));
  const files = [
    ...outputFiles.map(({ path, contents }) => asset(basename(path), Buffer.from(contents))),
    asset(`icon-${hashOf(icon).slice(0, 8)}.svg`, icon),
  ];
  const [entry, { imports }] = Object.entries(metafile.outputs).find(
    ([, { entryPoint }]) => entryPoint !== undefined && basename(entryPoint) === "main.tsx",
  );
  const parts = imports.filter(({ kind }) => kind === "import-statement");
  const page = fs
    .readFileSync(join(here, "index.html"), "utf8")
    .replace("%ICON%", pathOf(files, ".svg"))
    .replace("%STYLE%", pathOf(files, ".css"))
    .replace("%SCRIPT%", `/assets/${basename(entry)}`)
    .replace("%PARTS%", parts.map(({ path }) => preload(`/assets/${basename(path)}`)).join(""));
  write([...files, { path: "/", bytes: Buffer.from(page), type: CONTENT_TYPES[".html"] }]);
}

function asset(name, bytes) {
  return { path: `/assets/${name}`, bytes, type: CONTENT_TYPES[extname(name)] };
}

/** Fetched beside the script that needs it, and not after it. */
function preload(path) {
  return `<link rel="modulepreload" href="${path}" />`;
}

function pathOf(files, extension) {
  return files.find(({ path }) => path.endsWith(extension)).path;
}

/** Writes beside the folder and renames, so that a server never reads half a build. */
function write(files) {
  fs.mkdirSync(dirname(target), { recursive: true });
  const draft = fs.mkdtempSync(`${target}-`);
  fs.chmodSync(draft, 0o755);
  const rows = files.map(({ path, bytes, type }, index) => {
    const file = `${index}.gz`;
    fs.writeFileSync(join(draft, file), gzipSync(bytes, { level: 9 }));
    return { path, file, type, bytes: bytes.byteLength, hash: hashOf(bytes).slice(0, 16) };
  });
  fs.writeFileSync(join(draft, "manifest.json"), JSON.stringify({ sources, files: rows }));
  try {
    fs.rmSync(target, { recursive: true, force: true });
    fs.renameSync(draft, target);
  } catch (error) {
    // Another process has built the same in the meantime.
    fs.rmSync(draft, { recursive: true, force: true });
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  }
}

function builtFrom(folder) {
  try {
    return JSON.parse(fs.readFileSync(join(folder, "manifest.json"), "utf8")).sources;
  } catch {
    return null;
  }
}

/** Of every file that the build reads, and of the versions that it bundles. */
function hashOfSources() {
  const names = fs
    .readdirSync(here, { recursive: true })
    .filter((name) => !name.split(/[/\\]/).includes("node_modules"))
    .filter((name) => fs.statSync(join(here, name)).isFile())
    .toSorted();
  const parts = [...names.map((name) => join(here, name)), join(here, "..", "package-lock.json")];
  return hashOf(
    parts.map((path) => `${path.slice(here.length)} ${hashOf(fs.readFileSync(path))}`).join("\n"),
  );
}

function hashOf(data) {
  return createHash("sha256").update(data).digest("hex");
}
