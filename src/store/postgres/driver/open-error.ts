import { StoreOpenError } from "../../store-open-error.ts";
import { serverOf } from "./server-of-url.ts";

/**
 * What the operator reads when PostgreSQL cannot be used; other errors are defects and stay as they
 * are.
 */
export function toOpenError(error: unknown, url: string): unknown {
  const code = (error as { code?: string } | null)?.code ?? "";
  const advice = ADVICE.find(({ when }) => when.test(code) || when.test(textOf(error)));
  if (advice === undefined) return error;
  const reason = textOf(error) || code;
  return new StoreOpenError(`${describeServer(url)} ${advice.says} (${reason})`, error);
}

function describeServer(url: string): string {
  const { host, database } = serverOf(url);
  return `PostgreSQL at ${host}, database ${database}:`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/** Matched by the code of the system or of PostgreSQL, or by the text where pg gives no code. */
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
    when: /^28...$/,
    says: "it refuses the user or the password. Correct them in --database-url",
  },
  {
    when: /password must be a string/,
    says: "it asks for a password. Put one into --database-url",
  },
  {
    when: /^3D000$/,
    says: "there is no such database. Create it, or name another in --database-url",
  },
  {
    when: /^42501$/,
    says: "the user may not create or use the schema. Grant it CREATE on the database, or create the schema for it",
  },
  {
    when: /^53300$/,
    says: "it has no connection left. Raise max_connections, or end other clients",
  },
  { when: /^57P0[1-5]$/, says: "it is starting or stopping. Try again in a moment" },
  {
    when: /^25006$/,
    says: "it is read-only, perhaps a replica. Name the primary in --database-url",
  },
  {
    when: /does not support SSL|self-signed certificate|certificate|SSL\/TLS required/i,
    says: "TLS failed. Correct sslmode in --database-url",
  },
  {
    when: /^08...$|unexpected|protocol|There was an error establishing an SSL/i,
    says: "what answers there does not speak PostgreSQL's protocol. Correct --database-url",
  },
];
