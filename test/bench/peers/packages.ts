import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { fetchPackages } from "../fetched-packages.ts";

/** What runs beside us. pg-boss 12.38.0 and 12.37 need a package that the registry does not have. */
export const VERSIONS = {
  bullmq: "6.7.0",
  ioredis: "6.0.0",
  "pg-boss": "12.35.0",
  "graphile-worker": "0.18.0",
} as const;

/** They are fetched from npm when the comparison first runs, and are no dependencies. */
export async function importPeer(name: keyof typeof VERSIONS, file: string): Promise<unknown> {
  const packages = Object.entries(VERSIONS).map(([each, version]) => `${each}@${version}`);
  const folder = fetchPackages(`peers-${Object.values(VERSIONS).join("-")}`, packages);
  return import(pathToFileURL(join(folder, name, file)).href);
}
