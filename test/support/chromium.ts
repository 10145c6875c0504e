/**
 * A Chromium for tests: the one in CHROME_PATH, one of the machine, or a private copy unpacked from Debian's packages
 * into `.cache`. Nothing is installed, and no root is needed.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { unpackPackages } from "./debian-packages.ts";

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
    if (!existsSync(own.path)) unpackPackages(root, ["chromium", "fonts-dejavu-core"]);
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
