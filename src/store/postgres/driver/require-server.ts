import type { Log } from "../../../platform/log.ts";
import type { Connections } from "./connection.ts";
import type { Session } from "./conversation.ts";
import { StoreUnavailable } from "../../store-unavailable.ts";
import { ServerReadOnly } from "./errors.ts";

const OLDEST_POSTGRES = 14;

/** Refuses servers that are too old, and warns of settings that can lose committed data. */
export async function requireServer(connections: Connections, log: Log | undefined): Promise<void> {
  const [row] = await connections.read((session) => session.query(SQL));
  const version = Math.floor((row?.["version"] as number) / 10_000);
  if (version < OLDEST_POSTGRES) {
    throw new Error(`PostgreSQL ${version} is too old: ${OLDEST_POSTGRES} or newer is needed`);
  }
  for (const setting of ["fsync", "full_page_writes", "synchronous_commit"]) {
    if (row?.[setting] === "off") {
      log?.warn("the store may lose messages that were accepted", { setting, value: "off" });
    }
  }
}

/** In a transaction that only reads, so that it costs one round trip. */
export async function requireWritable(session: Session): Promise<void> {
  const [row] = await session.query(WRITABLE_SQL);
  if (row?.["is_read_only"] === true) throw new ServerReadOnly();
  if (row?.["may_write"] !== true) throw new StoreUnavailable("the store may not be written");
}

/** A table that is missing is an error. */
const WRITABLE_SQL = `SELECT pg_is_in_recovery()
    OR current_setting('default_transaction_read_only') = 'on' AS is_read_only,
    has_table_privilege('facts', 'INSERT') AND has_table_privilege('messages', 'INSERT')
      AND has_table_privilege('log_entries', 'INSERT') AS may_write
  FROM schema_info`;

// Our own transactions set synchronous_commit, so the server's default is read.
const SQL = `SELECT current_setting('server_version_num')::int AS version,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS full_page_writes,
  (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS synchronous_commit`;
