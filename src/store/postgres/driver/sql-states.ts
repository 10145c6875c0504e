/** What an error of the server means for the one who asked. */
export type Meaning =
  /** The server stops, starts, or has ended this connection. */
  | "not-running"
  /** It takes no writes: a standby, or a failover is under way. */
  | "read-only"
  /** It opens no connection for us: none is left, or the login is wrong. */
  | "refused"
  /** It lacks memory or files, or its disk fails. */
  | "failing"
  | "disk-full"
  /** It answers, but a table or a right is missing. */
  | "unusable"
  /** Some of its data cannot be read: other statements may still work. */
  | "damaged"
  /** The connection has ended, or is in an unknown state. */
  | "broken"
  /** A prepared statement is missing, or no longer fits the tables. */
  | "not-prepared"
  /** Another transaction holds the rows. */
  | "crowded"
  /** Another transaction has inserted the row. */
  | "exists"
  /** A statement that demands a lease has found another. */
  | "lease-changed";

interface SqlState {
  readonly when: RegExp;
  readonly means: Meaning;
  /** What the operator should do when it keeps the service from starting. */
  readonly advice?: string;
}

/** The first row that fits decides. An SQLSTATE without a row is the fault of the statement. */
const SQL_STATES: readonly SqlState[] = [
  {
    when: /^25006$/, // read_only_sql_transaction
    means: "read-only",
    advice:
      "it is read-only: a standby, or default_transaction_read_only is on. Name the primary in --database-url",
  },
  {
    when: /^57P0[1-5]$/, // admin_shutdown, crash_shutdown, cannot_connect_now, database_dropped, idle_session_timeout
    means: "not-running",
    advice: "it is starting or stopping. Try again in a moment",
  },
  {
    when: /^53300$/, // too_many_connections
    means: "refused",
    advice: "it has no connection left. Raise max_connections, or end other clients",
  },
  {
    when: /^28...$/, // invalid_authorization_specification, invalid_password
    means: "refused",
    advice:
      "it refuses the user or the password, or a connection without TLS. Correct them in --database-url, where sslmode=verify-full demands TLS",
  },
  {
    when: /^3D000$/, // invalid_catalog_name
    means: "refused",
    advice: "there is no such database. Create it, or name another in --database-url",
  },
  {
    when: /^55000$/, // object_not_in_prerequisite_state
    means: "refused",
    advice: "the database takes no connections at present",
  },
  {
    when: /^53100$/, // disk_full
    means: "disk-full",
    advice: "its disk is full. Make room there",
  },
  {
    when: /^(53|58)...$/, // insufficient_resources, system_error
    means: "failing",
    advice: "it lacks memory or files, or its disk fails. Read the log of the server",
  },
  {
    when: /^22P02$/, // invalid_text_representation, see requireCount
    means: "lease-changed",
  },
  {
    when: /^08...$/, // connection_exception
    means: "broken",
    advice: "what answers there does not speak PostgreSQL's protocol. Correct --database-url",
  },
  {
    when: /^25P0[34]$/, // idle_in_transaction_session_timeout, transaction_timeout
    means: "broken",
  },
  {
    when: /^(26000|42P05|0A000)$/, // invalid_sql_statement_name, duplicate_prepared_statement, feature_not_supported
    means: "not-prepared",
  },
  {
    when: /^(40001|40P01|55P03|57014)$/, // serialization_failure, deadlock_detected, lock_not_available, query_canceled
    means: "crowded",
  },
  {
    when: /^23505$/, // unique_violation
    means: "exists",
  },
  {
    when: /^(42501|3F000)$/, // insufficient_privilege, invalid_schema_name
    means: "unusable",
    advice:
      "the user may not connect, or not create or use the schema. Grant it CONNECT and CREATE on the database, or make it the owner of the schema",
  },
  {
    when: /^42P01$/, // undefined_table
    means: "unusable",
    advice: "it lacks a table. Restore the schema from a backup",
  },
  {
    when: /^XX...$/, // internal_error, data_corrupted, index_corrupted
    means: "damaged",
    advice: "its data is damaged. Restore it from a backup",
  },
];

/** Five characters with a digit among them, unlike the codes of the network. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

export const codeOf = (error: unknown): string => (error as { code?: string } | null)?.code ?? "";

export function isFromServer(error: unknown): boolean {
  return SQL_STATE.test(codeOf(error));
}

/** Null for an error that is not the server's, or that is the fault of the statement. */
export function meaningOf(error: unknown): Meaning | null {
  return stateOf(error)?.means ?? null;
}

/** The table is not there: it was renamed or removed. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === "42P01";
}

export function adviceOn(error: unknown): string | undefined {
  return stateOf(error)?.advice;
}

function stateOf(error: unknown): SqlState | undefined {
  const code = codeOf(error);
  return code === "" ? undefined : SQL_STATES.find(({ when }) => when.test(code));
}
