import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";

import { besides } from "./child.ts";

const CACHE = besides("../../.cache/");

/**
 * Packages that only a comparison needs, such as `["postgres@3.4.9"]`. They are no dependencies:
 * npm fetches them when the comparison first runs. Returns their `node_modules`.
 */
export function fetchPackages(name: string, packages: readonly string[]): string {
  const home = join(CACHE, name);
  if (!existsSync(home)) {
    mkdirSync(CACHE, { recursive: true });
    // Renamed when it is complete.
    const draft = mkdtempSync(`${home}-`);
    const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
    const { status } = spawnSync("npm", ["install", "--prefix", draft, ...flags, ...packages], {
      stdio: ["ignore", 2, 2],
    });
    if (status !== 0) throw new Error(`npm could not fetch ${packages.join(", ")}`);
    renameSync(draft, home);
  }
  return join(home, "node_modules");
}
