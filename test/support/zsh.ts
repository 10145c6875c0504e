/** A zsh for tests: the one of the machine, or a private copy unpacked from Debian's packages into `.cache`. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackPackages } from "./debian-packages.ts";

const CACHE = fileURLToPath(new URL("../../.cache/zsh", import.meta.url));

/** Its path; null where there is none. */
export function findZsh(): string | null {
  if (runs("zsh")) return "zsh";
  const own = join(CACHE, "bin/zsh");
  try {
    if (!existsSync(own)) unpackPackages(CACHE, ["zsh"]);
  } catch {
    return null;
  }
  return runs(own) ? own : null;
}

function runs(path: string): boolean {
  return spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0;
}
