/** The options of a message, as settings of the SDK. */
import { requireSendable } from "../../../sdk/src/header-prefix.ts";
import type { FlowControl, Instant, MessageSettings, Method } from "../../../sdk/src/settings.ts";
import { CommandError } from "../command-error.ts";
import type { Flags } from "../flags.ts";
import { readGiven } from "../given-file.ts";

export function messageSettings(flags: Flags): MessageSettings {
  return {
    method: flags.text("method")?.toUpperCase() as Method | undefined,
    headers: headersOf(flags),
    delay: flags.text("delay"),
    notBefore: notBeforeOf(flags),
    retries: flags.number("retries"),
    retryDelay: flags.text("retry-delay"),
    timeout: flags.text("timeout"),
    callback: flags.text("callback"),
    failureCallback: flags.text("failure-callback"),
    deduplicationId: flags.text("deduplication-id"),
    label: flags.texts("label"),
    flowControl: flowControlOf(flags),
    redact: flags.is("redact-body") ? { body: true } : undefined,
  };
}

/** Text as it is given; `@FILE` is the content of a file, byte by byte. */
export function bodyOf(flags: Flags): Uint8Array<ArrayBuffer> | string | undefined {
  const text = flags.text("body");
  if (text === undefined || !text.startsWith("@")) return text;
  return new Uint8Array(readGiven(text.slice(1)));
}

/** The same as text, for a call that takes no bytes. */
export function textBodyOf(flags: Flags): string | undefined {
  const body = bodyOf(flags);
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
}

/** JSON is declared as such, unless a header says otherwise. */
function headersOf(flags: Flags): Headers {
  const headers = new Headers();
  for (const line of flags.texts("header") ?? []) {
    const [, name, value = ""] = /^([^:\s]+):\s*(.*)$/s.exec(line) ?? [];
    if (name === undefined) {
      throw new CommandError(`--header must be "Name: value", but is ${JSON.stringify(line)}`);
    }
    requireSendable({ [name]: value });
    headers.append(name, value);
  }
  const body = flags.text("body");
  if (!headers.has("Content-Type") && body !== undefined && isJson(body)) {
    headers.set("Content-Type", "application/json");
  }
  return headers;
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function notBeforeOf(flags: Flags): Instant | undefined {
  const text = flags.text("not-before");
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return new Date(time);
  throw new CommandError(
    `--not-before must be a date or unix seconds, but is ${JSON.stringify(text)}`,
  );
}

function flowControlOf(flags: Flags): FlowControl | undefined {
  const key = flags.text("flow-key");
  const limits = {
    parallelism: flags.number("parallelism"),
    rate: flags.number("rate"),
    period: flags.text("period"),
  };
  if (key !== undefined) return { key, ...limits };
  if (Object.values(limits).every((limit) => limit === undefined)) return undefined;
  throw new CommandError("--parallelism, --rate and --period need --flow-key");
}
