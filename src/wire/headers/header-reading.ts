import type { Dialect } from "../../core/model/message/dialect.ts";
import type { HeaderList } from "../../core/model/message/message.ts";
import { canonicalHeaderName } from "../../core/policy/headers/header-name.ts";
import type { Forwarded } from "./forwarded-headers.ts";
import { type ForwardTarget, headerDialect, type HeaderKind, headerKind } from "./header-kind.ts";
import { shownName } from "../../core/shown-name.ts";
import { cleanUrl, cleanValue, invalidRequest, prefixErrors, trimBlanks } from "./header-value.ts";
import { type HeaderCall, type HeaderRow, HOP_ROW, type PublishDraft } from "./header.ts";
import { misspelledPrefix, unknownHeader } from "./misspelled-header.ts";
import { textOf, urlTextOf, utf8BytesOf } from "./header-text.ts";

/** Configuration in the query of the request: names in lower case, values decoded. */
export type Aliases = HeaderList;

/** The state of reading the headers of one request. */
export interface HeaderReading {
  readonly call: HeaderCall;
  readonly draft: PublishDraft;
  readonly rows: HeaderRow[];
  /** Headers that describe the body, given without a prefix. */
  readonly content: Forwarded[];
  readonly forwarded: Record<ForwardTarget, Forwarded[]>;
  dialect: Dialect | null;
  /** The header that decided the dialect, to name it when another contradicts. */
  dialectHeader: string;
  /** A delivery has this header in both dialects, and so has a request that passes it back. */
  readonly hopNames: string[];
  /** The dialect of telemetry headers, which count only if no other header names a dialect. */
  telemetryDialect: Dialect | null;
  isWorkflow: boolean;
}

/** What the headers of a batch name, for the items that name nothing themselves. */
export type BatchDialect = Pick<HeaderReading, "dialect" | "telemetryDialect">;

/**
 * Reads every header once. A header overrides its alias in the query, and both override the default
 * headers of the URL group.
 */
export function readHeaders(
  rawHeaders: readonly string[],
  aliases: Aliases,
  groupHeaders: HeaderList,
  call: HeaderCall,
  batchDialect?: BatchDialect,
): HeaderReading {
  const reading: HeaderReading = {
    call,
    draft: { settings: {}, callback: { settings: {} }, failureCallback: { settings: {} } },
    rows: [],
    content: [],
    forwarded: { message: [], callback: [], failureCallback: [] },
    dialect: null,
    dialectHeader: "",
    hopNames: [],
    telemetryDialect: null,
    isWorkflow: false,
  };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    const dialect = headerDialect(name);
    if (dialect !== null) readHeader(reading, dialect, name, value);
    else if (describesContent(name)) addContent(reading.content, name, value);
    else refuseMisspelled(name);
  }
  readBehind(reading, aliases);
  reading.dialect ??= batchDialect?.dialect ?? null;
  readBehind(reading, inDialect(groupHeaders, reading.dialect));
  reading.dialect ??= reading.telemetryDialect ?? batchDialect?.telemetryDialect ?? null;
  return reading;
}

function readHeader(reading: HeaderReading, dialect: Dialect, name: string, value: string): void {
  const suffix = name.slice(dialect.prefix.length).toLowerCase();
  const found = headerKind(suffix, reading.call);
  if (found.kind === "ignored") return;
  if (found.kind === "telemetry") {
    reading.telemetryDialect ??= dialect;
    return;
  }
  const sentAs = dialect.prefix + canonicalHeaderName(suffix);
  if (!isHop(found)) decideDialect(reading, dialect, sentAs);
  if (found.kind === "row") readRow(reading, found.row, sentAs, value);
  else if (found.kind === "forward") {
    const forwarded = { name: found.name, value: trimBlanks(value), sentAs };
    reading.forwarded[found.to].push(forwarded);
  } else if (found.kind === "workflow") reading.isWorkflow = true;
  else if (found.kind === "unknown") {
    throw invalidRequest(unknownHeader(sentAs, suffix));
  }
}

/** The dialect of a batch. Its headers count for nothing else; those of both dialects name none. */
export function readBatchDialect(rawHeaders: readonly string[]): BatchDialect {
  const named = new Set<Dialect>();
  let telemetryDialect: Dialect | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const dialect = headerDialect(name);
    if (dialect === null) continue;
    const found = headerKind(name.slice(dialect.prefix.length).toLowerCase(), "publish");
    if (found.kind === "telemetry") telemetryDialect ??= dialect;
    else if (found.kind !== "ignored" && !isHop(found)) named.add(dialect);
  }
  const [dialect = null] = named.size === 1 ? named : [];
  return { dialect, telemetryDialect };
}

/** Receivers pass it back to us, as they pass other headers of deliveries. */
function isHop(found: HeaderKind): boolean {
  return found.kind === "row" && found.row === HOP_ROW;
}

function decideDialect(reading: HeaderReading, dialect: Dialect, sentAs: string): void {
  if (reading.dialect === null) {
    reading.dialect = dialect;
    reading.dialectHeader = sentAs;
  } else if (reading.dialect !== dialect) {
    const names = `${shownName(reading.dialectHeader)} and ${shownName(sentAs)}`;
    throw invalidRequest(`${names}: are of two vocabularies; use one prefix in a request`);
  }
}

function readRow(reading: HeaderReading, row: HeaderRow, sentAs: string, value: string): void {
  if (!row.calls.includes(reading.call)) {
    throw invalidRequest(`${sentAs}: is not supported by ${reading.call}`);
  }
  const isTwice = row === HOP_ROW ? reading.hopNames.includes(sentAs) : reading.rows.includes(row);
  if (isTwice) throw invalidRequest(`${sentAs}: is given twice`);
  if (row === HOP_ROW) reading.hopNames.push(sentAs);
  reading.rows.push(row);
  prefixErrors(sentAs, () => {
    const text = row.isUrl === true ? cleanUrl(urlTextOf(value)) : cleanValue(textOf(value));
    row.read(reading.draft, text, reading.call);
  });
}

/** A header of others passes, unless it is almost one of ours. */
function refuseMisspelled(name: string): void {
  const problem = misspelledPrefix(name);
  if (problem !== null) throw invalidRequest(problem);
}

/** Reads settings that those read before them override; they are text, not bytes of a request. */
function readBehind(reading: HeaderReading, settings: HeaderList): void {
  if (settings.length === 0) return;
  const given = new Set(reading.rows);
  const content = [...reading.content];
  const { message, callback, failureCallback } = reading.forwarded;
  const sentOn = {
    message: [...message],
    callback: [...callback],
    failureCallback: [...failureCallback],
  };
  for (const [name, value] of settings) {
    const written = headerDialect(name);
    if (written === null) {
      if (!isForwarded(content, name)) addContent(reading.content, name, value);
      continue;
    }
    const suffix = name.slice(written.prefix.length).toLowerCase();
    const found = headerKind(suffix, reading.call);
    const isGiven =
      (found.kind === "row" && given.has(found.row)) ||
      (found.kind === "forward" && isForwarded(sentOn[found.to], found.name));
    if (isGiven) continue;
    readHeader(reading, written, name, found.kind === "row" ? utf8BytesOf(value) : value);
  }
}

/** A group's headers may be in the other dialect: they are read in the dialect of the request. */
function inDialect(headers: HeaderList, dialect: Dialect | null): HeaderList {
  if (dialect === null) return headers;
  return headers.map(([name, value]) => {
    const written = headerDialect(name);
    return written === null
      ? [name, value]
      : [dialect.prefix + name.slice(written.prefix.length), value];
  });
}

export function isForwarded(forwarded: readonly Forwarded[], name: string): boolean {
  return forwarded.some((other) => other.name.toLowerCase() === name.toLowerCase());
}

/** A receiver needs these two to read the body, so they are forwarded without a prefix. */
export function describesContent(name: string): boolean {
  if (name.length === 12) return name.toLowerCase() === "content-type";
  return name.length === 16 && name.toLowerCase() === "content-encoding";
}

function addContent(content: Forwarded[], name: string, value: string): void {
  const sentAs = canonicalHeaderName(name);
  const text = trimBlanks(value);
  if (isForwarded(content, name)) throw invalidRequest(`${sentAs}: is given twice`);
  if (text !== "") content.push({ name, value: text, sentAs });
}
