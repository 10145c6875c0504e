import { destination, pino } from "pino";
import colors from "picocolors";
import type { Log, LogFields } from "./log.ts";

export type LogMode = "json" | "pretty" | "quiet";

/** A log that buffers lines; closing it writes the rest. */
export interface Logger extends Log {
  close(): void;
}

/** `node` is the name that each JSON line carries, so that the lines of several nodes can be mixed. */
export function createLogger(mode: LogMode, node = ""): Logger {
  return mode === "json" ? createJsonLogger(node) : createPrettyLogger(mode === "quiet");
}

/** One JSON object a line on standard output, for log collectors. */
function createJsonLogger(node: string): Logger {
  const output = destination({ fd: 1, sync: false });
  const logger = pino({ base: { node } }, output);
  return {
    info: (event, fields) => logger.info(plain(fields), event),
    warn: (event, fields) => logger.warn(plain(fields), event),
    error: (event, fields) => logger.error(plain(fields), event),
    close: () => output.flushSync(),
  };
}

/** Short lines on standard error, for a person at the terminal. */
function createPrettyLogger(isQuiet: boolean): Logger {
  return {
    info: (event, fields) => (isQuiet ? undefined : write(colors.dim("·"), event, fields)),
    warn: (event, fields) => (isQuiet ? undefined : write(colors.yellow("!"), event, fields)),
    error: (event, fields) => write(colors.red("✗"), event, fields),
    close: () => undefined,
  };
}

function write(mark: string, event: string, fields: LogFields | undefined): void {
  process.stderr.write(`  ${mark} ${event}${shown(fields)}\n`);
}

function shown(fields: LogFields | undefined): string {
  if (fields === undefined) return "";
  const pairs = Object.entries(plain(fields)).map(([name, value]) => `${name}=${text(value)}`);
  return pairs.length === 0 ? "" : `  ${colors.dim(pairs.join(" "))}`;
}

/** Quotes and escapes a value that may hold line breaks or terminal codes. */
function text(value: unknown): string {
  return typeof value === "string" && /^[\x20-\x7e]*$/.test(value) ? value : JSON.stringify(value);
}

/**
 * Fields in a form that can be written: errors with their stack, and no value of unbounded length.
 */
function plain(fields: LogFields = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, bounded(value)]));
}

function bounded(value: unknown): unknown {
  if (value instanceof Error) return cut(value.stack ?? value.message);
  return typeof value === "string" ? cut(value) : value;
}

function cut(value: string): string {
  return value.length > FIELD_CHARACTERS_MAX ? `${value.slice(0, FIELD_CHARACTERS_MAX)}…` : value;
}

const FIELD_CHARACTERS_MAX = 2_048;
