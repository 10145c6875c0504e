import { escapeLiteral } from "pg";

export interface TransactionOptions {
  readonly lockTimeoutMs?: number;
  /** One second later without an answer the connection is closed; 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** The work may be done twice: it is repeated also when its COMMIT may have been executed. */
  readonly isIdempotent?: boolean;
}

/** The statements with which a transaction begins; they travel with its first own ones. */
export interface Opening {
  /** Null where two statements are one transaction because they are sent together. */
  readonly begin: string | null;
  /** Selects the server's clock and process, and `is_read_only` for a node that wants to write. */
  readonly text: string;
  readonly values: readonly string[];
}

/** A setting, and the SQL of its value. */
type Setting = readonly [name: string, value: string];

/**
 * Makes the statements that begin transactions. On a connection that reaches its server without a
 * pooler, the settings that never change are set once for the session. `synchronous_commit` is not
 * among them: every promise to a publisher depends on it.
 */
export class Openings {
  /** Sets what is the same for all transactions of a session. */
  readonly session: string;
  readonly #constant: readonly Setting[];

  constructor(schema: string | undefined) {
    this.#constant = schema === undefined ? CONSTANT : [...CONSTANT, searchPath(schema)];
    this.session = `SELECT ${setConfigs(this.#constant, false)}`;
  }

  /** Of a transaction that writes. */
  writing(options: TransactionOptions, isSessionSet: boolean): Opening {
    return this.#opening(WRITE, [...EACH, ONE_PLAN], `, ${READ_ONLY}`, options, isSessionSet);
  }

  /** Of reads on one snapshot. */
  reading(options: TransactionOptions, isSessionSet: boolean): Opening {
    return this.#opening(READ, EACH, "", options, isSessionSet);
  }

  /** Of one statement that reads, for a node that wants to write. */
  readingOne(options: TransactionOptions, isSessionSet: boolean): Opening {
    return this.#opening(null, EACH, `, ${READ_ONLY}`, options, isSessionSet);
  }

  #opening(
    begin: string | null,
    each: readonly Setting[],
    more: string,
    {
      statementTimeoutMs = STATEMENT_TIMEOUT_MS,
      lockTimeoutMs = LOCK_TIMEOUT_MS,
    }: TransactionOptions,
    isSessionSet: boolean,
  ): Opening {
    const settings = isSessionSet ? each : [...each, ...this.#constant];
    return {
      begin,
      text: `SELECT ${NOW} AS now, ${PROCESS_ID} AS process_id${more}, ${setConfigs(settings, true)}`,
      values: [String(statementTimeoutMs), String(lockTimeoutMs)],
    };
  }
}

function setConfigs(settings: readonly Setting[], isLocal: boolean): string {
  return settings.map(([name, value]) => `set_config('${name}', ${value}, ${isLocal})`).join(", ");
}

function searchPath(schema: string): Setting {
  return ["search_path", `quote_ident(${escapeLiteral(schema)})`];
}

const WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED";
const READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const EACH: readonly Setting[] = [
  ["synchronous_commit", "'on'"],
  ["statement_timeout", "$1"],
  ["lock_timeout", "$2"],
];
/** Writes gain nothing from a plan for their values; without this they are planned each time. */
const ONE_PLAN: Setting = ["plan_cache_mode", "'force_generic_plan'"];
const IDLE_IN_TRANSACTION_MS = 15_000;
/**
 * Every row is found by a key or in the order of an index. The server's statistics are never right
 * for tables whose rows live for seconds or that have just begun to grow, so they must not change
 * the plan.
 */
const BY_INDEX = ["seqscan", "sort", "incremental_sort", "hashjoin", "mergejoin"].map(
  (way): Setting => [`enable_${way}`, "'off'"],
);
const CONSTANT: readonly Setting[] = [
  ["idle_in_transaction_session_timeout", `'${IDLE_IN_TRANSACTION_MS}'`],
  ["jit", "'off'"],
  ...BY_INDEX,
];
const PROCESS_ID = "pg_backend_pid()";
/** On a standby, and where the server's default says so. */
const READ_ONLY = "current_setting('transaction_read_only') = 'on' AS is_read_only";
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const STATEMENT_TIMEOUT_MS = 10_000;
export const LOCK_TIMEOUT_MS = 2_000;
