import type { Settings } from "../config/settings.ts";
import { databasePath } from "../service.ts";
import { serverOf } from "../store/postgres/driver/server-of-url.ts";

/** Where the data is kept, for the ready block: enough to find it, without a password. */
export function dataText(settings: Settings): string {
  const { databaseUrl, databaseSchema, mode, data } = settings;
  if (databaseUrl === undefined) {
    const advice = mode === "dev" ? `; delete ${data} to start afresh` : "";
    return `${databasePath(settings)}  (SQLite, kept between restarts${advice})`;
  }
  const { host, database } = serverOf(databaseUrl);
  return `PostgreSQL at ${host}, database ${database}, schema ${databaseSchema}  (kept between restarts, nodes may share it)`;
}
