import { StoreOpenError } from "../../store-open-error.ts";
import { adviceOn, codeOf } from "./sql-states.ts";

/**
 * What the operator reads when PostgreSQL cannot be used; other errors are defects and stay as they
 * are.
 */
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
    when: /password must be a string/,
    says: "it asks for a password. Put one into --database-url",
  },
  {
    when: /does not support SSL|self-signed certificate|certificate|SSL\/TLS required/i,
    says: "TLS failed. Correct sslmode in --database-url",
  },
  {
    when: /unexpected|protocol|There was an error establishing an SSL/i,
    says: "what answers there does not speak PostgreSQL's protocol. Correct --database-url",
  },
];
