/**
 * A Chromium for tests: the one in CHROME_PATH, one of the machine, or a private copy unpacked from Debian's packages
 * into `.cache`. Nothing is installed, and no root is needed.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Chromium {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
}

const CACHE = fileURLToPath(new URL("../../.cache/chromium", import.meta.url));
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const TRIPLETS: Readonly<Record<string, string>> = {
  x64: "x86_64-linux-gnu",
  arm64: "aarch64-linux-gnu",
};

/** The browser, or the reason why there is none. */
export function findChromium(): Chromium | string {
  const named = process.env["CHROME_PATH"];
  for (const path of [...(named === undefined ? [] : [named]), ...installed()]) {
    if (runs({ path, environment: {} })) return { path, environment: {} };
  }
  const triplet = TRIPLETS[process.arch];
  if (process.platform !== "linux" || triplet === undefined) {
    return "no Chromium here; set CHROME_PATH";
  }
  const root = join(CACHE, "root");
  const libraries = join(root, "usr/lib", triplet);
  const own: Chromium = {
    path: join(root, "usr/lib/chromium/chromium"),
    environment: { LD_LIBRARY_PATH: `${libraries}:${join(libraries, "pulseaudio")}` },
  };
  try {
    if (!existsSync(own.path)) unpack(root);
  } catch (error) {
    return `no Chromium: ${(error as Error).message.split("\n")[0]}`;
  }
  return runs(own) ? own : "the Chromium in .cache does not run here";
}

function installed(): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).filter(existsSync);
}

function runs({ path, environment }: Chromium): boolean {
  const env = { ...process.env, ...environment };
  return spawnSync(path, ["--version"], { env, timeout: 60_000, stdio: "ignore" }).status === 0;
}

/** Unpacks beside the final place and renames, so that two processes may do it at once. */
function unpack(root: string): void {
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, "draft-"));
  try {
    download(draft);
    for (const name of readdirSync(draft)) {
      execFileSync("dpkg-deb", ["-x", join(draft, name), join(draft, "root")]);
    }
    renameSync(join(draft, "root"), root);
  } catch (error) {
    if (!existsSync(root)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The lists of packages may be missing or old; only root may fetch them. */
function download(folder: string): void {
  try {
    downloadKnown(folder);
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    execFileSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    downloadKnown(folder);
  }
}

function downloadKnown(folder: string): void {
  const wanted = ["chromium", "fonts-dejavu-core"];
  const plan = execFileSync("apt-get", ["install", "-s", "--no-install-recommends", ...wanted], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packages = [...plan.matchAll(/^Inst (\S+)/gm)].map((match) => match[1]!);
  execFileSync("apt-get", ["download", "-qq", ...packages], { cwd: folder, stdio: "ignore" });
}
