import { Problem } from "../../../core/problem.ts";
import { StoreUnavailable } from "../../store-unavailable.ts";
import { codeOf, isFromServer, type Meaning, meaningOf, adviceOn } from "./sql-states.ts";
import { StoreOpenError } from "../../store-open-error.ts";

/** The COMMIT was sent and its answer never came: the transaction may be durable or not. */
export class OutcomeUnknown extends Error {
  constructor(cause: unknown) {
    super("the connection was lost while committing", { cause });
    this.name = "OutcomeUnknown";
  }
}

/** The database is known not to answer, so it was not asked. */
export class DatabaseAway extends Error {
  constructor(cause: string) {
    super(`PostgreSQL does not answer: ${cause}`);
    this.name = "DatabaseAway";
  }
}

/** No connection came to stand: the network, TLS, or a certificate's file that is missing. */
export class NotConnected extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super(firstOf(cause).message, { cause });
    this.name = "NotConnected";
    this.code = codeOf(cause);
  }
}

/** The server answers and takes no writes, so a transaction that would write was not begun. */
export class ServerReadOnly extends Error {
  readonly code = "25006";

  constructor() {
    super("it takes no writes: a standby, or default_transaction_read_only is on");
    this.name = "ServerReadOnly";
  }
}

const NETWORK =
  /^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST\w+|ENET\w+|ERR_STREAM\w+|ERR_SOCKET\w+)$/;
/** Errors that pg raises itself have no code. */
const CONNECTION_LOST =
  /^(Connection terminated|timeout e|Query read timeout|Client (has encountered|was closed))/;
/** After an error of these the connection is not used again. */
const LOST: ReadonlySet<Meaning | null> = new Set([
  "not-running",
  "read-only",
  "refused",
  "failing",
  "broken",
  "not-prepared",
] as const);

/** The connection cannot be used again, and what the server did last is unknown. */
export function isConnectionLost(error: unknown): boolean {
  return (
    LOST.has(meaningOf(error)) ||
    NETWORK.test(codeOf(error)) ||
    error instanceof DatabaseAway ||
    error instanceof NotConnected ||
    (error instanceof Error && CONNECTION_LOST.test(error.message))
  );
}

/** Why the server cannot work for this node; null when it can, or when the error does not tell. */
export function outageIn(error: unknown): OutageKind | null {
  const meaning = meaningOf(error);
  if (meaning === "read-only") return meaning;
  if (!isFromServer(error) || meaning === "not-running") return "silent";
  return null;
}

export type OutageKind = "silent" | "read-only" | "refused";

/** The server sent nothing within the reply timeout. */
export function isReplyTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === "Query read timeout";
}

/** The reason of an error for the log, in one line. */
export function causeOf(error: unknown): string {
  const { message } = firstOf(error);
  if (/\btime(out|d out)\b/i.test(message)) return "no answer in time";
  return message === "" ? codeOf(error) : message;
}

/** A host name with several addresses fails with one error for each. */
function firstOf(error: unknown): Error {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return (first ?? error) as Error;
}

/** The prepared statements of the connection are not those it should have. */
export function isNotPrepared(error: unknown): boolean {
  return meaningOf(error) === "not-prepared";
}

/** A message whose row was not locked is no longer leased as it was; see KnownLeases. */
export function isLeaseChanged(error: unknown): boolean {
  return meaningOf(error) === "lease-changed";
}

/** A statement waited for another transaction for as long as its `lock_timeout` allows. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** The server works, and its disk has no room for the write. */
export function isDiskFull(error: unknown): boolean {
  return meaningOf(error) === "disk-full";
}

/** The server works, and the statement would not until an operator has mended the database. */
export function isUnusable(error: unknown): boolean {
  const meaning = meaningOf(error);
  return meaning === "unusable" || meaning === "damaged";
}

/** Not the fault of an act: running it alone would not help. Damaged rows keep only their own acts. */
export function isOutage(error: unknown): boolean {
  const meaning = meaningOf(error);
  const isElsewhere = isDiskFull(error) || meaning === "unusable" || meaning === "crowded";
  return error instanceof OutcomeUnknown || isConnectionLost(error) || isElsewhere;
}

/** Whether a transaction that was not committed, or may be done twice, is worth another try at once. */
export function isRepeatable(error: unknown, tries: number): boolean {
  const meaning = meaningOf(error);
  // The second try reads the row that another transaction has inserted.
  if (meaning === "exists") return tries === 1;
  if (meaning === "refused" || meaning === "disk-full" || meaning === "unusable") return false;
  if (error instanceof DatabaseAway || codeOf(error) === "ECONNREFUSED") return false;
  return isOutage(error);
}

/** The error that the caller of the store gets for an error of the database. */
export function toProblem(error: unknown): unknown {
  if (error instanceof OutcomeUnknown) {
    return new StoreUnavailable("the store did not confirm; it may have been stored");
  }
  if (isDiskFull(error)) {
    return new Problem("disk-low", "the disk of the store is full; try again later", 5);
  }
  if (isConnectionLost(error) || isUnusable(error)) {
    return new StoreUnavailable("the store is not available");
  }
  return isOutage(error) ? new Problem("overloaded", "the store is busy; try again", 1) : error;
}

/** Awaits an answer and turns its error into the one that the caller gets. */
export async function withProblems<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toProblem(error);
  }
}

/** What the operator reads when PostgreSQL cannot be used. Other errors are defects, and stay. */
export function toOpenError(error: unknown, url: string): unknown {
  const code = codeOf(error);
  const row = ADVICE.find(({ when }) => when.test(code) || when.test(textOf(error)));
  const says = adviceOn(error) ?? row?.says;
  if (says === undefined) return error;
  const reason = textOf(error) || code;
  return new StoreOpenError(`${describeServer(url)} ${says} (${reason})`, error);
}

function describeServer(url: string): string {
  const { host, database } = serverOf(url);
  return `PostgreSQL at ${host}, database ${database}:`;
}

/** The server and the database that a URL names, without user and password. */
export function serverOf(url: string): { host: string; database: string } {
  const read = URL.parse(url);
  const host = read?.searchParams.get("host") ?? read?.hostname ?? "";
  const port = read?.port || "5432";
  const database = decodeURIComponent(read?.pathname.slice(1) ?? "");
  return {
    host: host.startsWith("/") ? host : `${host || "localhost"}:${port}`,
    database: database || decodeURIComponent(read?.username ?? "") || "postgres",
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/** Matched by the code of the system, or by the text where pg gives no code. */
const ADVICE: readonly { readonly when: RegExp; readonly says: string }[] = [
  {
    when: /^ECONNREFUSED$/,
    says: "nothing listens there. Start PostgreSQL, or correct --database-url",
  },
  {
    when: /^(ENOTFOUND|EAI_AGAIN)$/,
    says: "the host name cannot be resolved. Correct it in --database-url",
  },
  {
    when: /^(ETIMEDOUT|EHOST\w+|ENET\w+|ECONNRESET|EPIPE)$|^timeout exceeded|^Connection terminated|^Query read timeout/,
    says: "it does not answer. Check host, port and firewall, and that PostgreSQL runs there",
  },
  {
    when: /^(ENOENT|EACCES)$/,
    says: "a socket or certificate that --database-url names is missing or closed to this user. Correct it",
  },
  {
    when: /password must be a string/,
    says: "it asks for a password. Put one into --database-url",
  },
  {
    when: /does not support SSL/,
    says: "it offers no TLS. Turn TLS on there, or take sslmode out of --database-url",
  },
  {
    when: /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/,
    says: "no authority that is known here has signed its certificate. Add sslrootcert=/path/to/ca.pem to --database-url, or sslmode=no-verify, which checks no certificate",
  },
  {
    when: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    says: "its certificate is for another host name. Put that name into --database-url",
  },
  {
    when: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    says: "its certificate is not valid at this time. Renew it",
  },
  {
    when: /certificate|SSL\/TLS required|^ERR_(SSL|OSSL)_/i,
    says: "TLS failed. Correct sslmode in --database-url",
  },
  {
    when: /unexpected|protocol|There was an error establishing an SSL/i,
    says: "what answers there does not speak PostgreSQL's protocol. Correct --database-url",
  },
];
