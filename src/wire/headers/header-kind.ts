import { type Dialect, DIALECTS } from "../../core/model/message/dialect.ts";
import { HEADER_FAMILIES, type HeaderCall, type HeaderRow, headerRowByName } from "./header.ts";

/** The role of a header with one of our prefixes in a request that reads configuration. */
export type HeaderKind =
  | { readonly kind: "row"; readonly row: HeaderRow }
  | { readonly kind: "forward"; readonly to: ForwardTarget; readonly name: string }
  | { readonly kind: "workflow" | "tolerated" | "telemetry" | "ignored" | "unknown" };

export type ForwardTarget = (typeof HEADER_FAMILIES)[number]["to"];

/** The dialect of a header of ours, found without lower-casing the names of others. */
export function headerDialect(name: string): Dialect | null {
  const first = name.charCodeAt(0) | 0x20;
  if (first === 0x73 && name.charCodeAt(3) === 0x2d) return prefixed(name, DIALECTS.svc);
  if (first === 0x75 && name.charCodeAt(7) === 0x2d) return prefixed(name, DIALECTS.upstash);
  return null;
}

/** The name of a header of ours without its prefix, in lower case; null for one of others. */
export function headerSuffix(name: string): string | null {
  const dialect = headerDialect(name);
  return dialect === null ? null : name.slice(dialect.prefix.length).toLowerCase();
}

/** `suffix` is the name without its prefix, in lower case. */
export function headerKind(suffix: string, call: HeaderCall): HeaderKind {
  const row = headerRowByName.get(suffix);
  const isElsewhere = SCHEDULE_NAMES.has(suffix) && call !== "schedule";
  if (row !== undefined && !isElsewhere) return { kind: "row", row };
  for (const { prefix, to } of HEADER_FAMILIES) {
    if (suffix.startsWith(prefix))
      return { kind: "forward", to, name: suffix.slice(prefix.length) };
  }
  if (NOT_CONFIGURATION.has(suffix)) return { kind: "ignored" };
  for (const { prefix, kind } of OPEN_NAMES) {
    if (suffix.startsWith(prefix)) return { kind };
  }
  return { kind: "unknown" };
}

/** In other requests these come from deliveries, or are a mistake that deserves a hint. */
const SCHEDULE_NAMES: ReadonlySet<string> = new Set(["cron", "schedule-id", "queue-name"]);

/** Headers of our deliveries that receivers pass back unread. They do not decide the dialect. */
const NOT_CONFIGURATION: ReadonlySet<string> = new Set([
  "caller-ip",
  "error-step-name",
  "max-retries",
  "message-id",
  "nonretryable-error",
  "region",
  "retried",
  "schedule-id",
  "signature",
  "topic-name",
]);

/** SDKs put a user's own names behind the callback prefixes, so those cannot be refused. */
const OPEN_NAMES = [
  { prefix: "telemetry-", kind: "telemetry" },
  { prefix: "callback-", kind: "tolerated" },
  { prefix: "failure-callback-", kind: "tolerated" },
  { prefix: "workflow-", kind: "workflow" },
  { prefix: "feature-set", kind: "workflow" },
] as const;

function prefixed(name: string, dialect: Dialect): Dialect | null {
  const { length } = dialect.lowerPrefix;
  if (name.length <= length) return null;
  return name.slice(0, length).toLowerCase() === dialect.lowerPrefix ? dialect : null;
}
