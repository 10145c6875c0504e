/** The bytes of one request, made from an operation of the OpenAPI document. */
import type { OpenApi, Operation, Parameter } from "../../src/api/reference/document.ts";
import type { Chance } from "../simulation/chance.ts";
import { hostileJson, hostileText, URLS } from "./hostile-values.ts";

/** An operation and where it is called. */
export interface Target {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** What a request may bear of what the service knows. */
export interface Known {
  /** Header lines that are good for these security schemes. */
  readonly credentials: Readonly<Record<string, readonly string[]>>;
  /** Ids and names that the service has answered with. */
  readonly names: readonly string[];
}

export interface HostileRequest {
  readonly target: Target;
  readonly method: string;
  readonly bytes: Buffer;
  /** It ends before its own end, so that it need not be answered. */
  readonly isCut: boolean;
}

export function targetsOf({ paths }: OpenApi): Target[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

export function hostileRequest(
  document: OpenApi,
  target: Target,
  known: Known,
  chance: Chance,
): HostileRequest {
  const method = chance.happens(0.96) ? target.method : chance.pick(METHODS);
  const path = pathOf(target, known, chance) + queryOf(document, target, known, chance);
  const headers = headersOf(document, target, known, chance);
  const body = Buffer.from(bodyOf(document, target, chance), "utf8");
  const { framing, sent, isCut } = framed(body, chance);
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${chance.happens(0.98) ? "127.0.0.1" : hostileText(chance)}`,
    "Connection: close",
    ...headers,
    ...framing,
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "utf8"), sent]);
  return { target, method, bytes, isCut };
}

function pathOf({ path }: Target, { names }: Known, chance: Chance): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "destination" || name === "workflowUrl") {
      return plainPath(chance.happens(0.8) ? chance.pick(URLS) : hostileText(chance));
    }
    if (names.length > 0 && chance.happens(0.6)) return encodeURIComponent(chance.pick(names));
    const text = hostileText(chance);
    return chance.happens(0.7) ? encodeURIComponent(text) : plainPath(text);
  });
  return chance.happens(0.97) ? filled : filled + chance.pick(["/", "//", "/..", "?", "#", "%"]);
}

/** Without what would end the request line. */
function plainPath(text: string): string {
  return text.replaceAll(/[\s\0]/g, "%20");
}

function queryOf(document: OpenApi, target: Target, known: Known, chance: Chance): string {
  const rows = parametersOf(document, target).filter(({ in: place }) => place === "query");
  const given = rows.filter(() => chance.happens(0.25));
  const parts = given.map(({ name, schema }) => `${name}=${parameterValue(schema, known, chance)}`);
  if (chance.happens(0.05)) parts.push(`${plainPath(hostileText(chance))}=1`);
  if (chance.happens(0.05) && parts.length > 0) parts.push(parts[0]!);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function headersOf(document: OpenApi, target: Target, known: Known, chance: Chance): string[] {
  const prefix = chance.pick(["Svc-", "Upstash-"]);
  const rows = parametersOf(document, target).filter(({ in: place }) => place === "header");
  const given = rows
    .filter(() => chance.happens(0.06))
    .map(({ name, schema }) => {
      const value = decodeURIComponent(parameterValue(schema, known, chance));
      return `${name.replace("Svc-", prefix)}: ${headerValue(value)}`;
    });
  const scheme = Object.keys(target.operation.security[0] ?? {})[0];
  const credentials = known.credentials[scheme ?? ""] ?? [];
  const isKnown = credentials.length > 0 && chance.happens(0.93);
  if (isKnown) given.push(chance.pick(credentials));
  else if (chance.happens(0.5))
    given.push(`Authorization: Bearer ${headerValue(hostileText(chance))}`);
  if (chance.happens(0.3)) given.push(`Content-Type: ${chance.pick(CONTENT_TYPES)}`);
  if (chance.happens(0.03))
    given.push(`${prefix}${chance.pick(FOREIGN)}: ${headerValue(hostileText(chance))}`);
  return given;
}

/** Without what would end the header; other control characters stay, and are refused. */
function headerValue(text: string): string {
  return text.replaceAll(/[\r\n\0]/g, "").slice(0, HEADER_LENGTH_MAX);
}

function parameterValue(schema: unknown, { names }: Known, chance: Chance): string {
  const {
    type,
    enum: values,
    minimum,
  } = schema as {
    type?: string;
    enum?: readonly string[];
    minimum?: number;
  };
  if (chance.happens(0.5)) {
    if (values !== undefined) return encodeURIComponent(chance.pick(values));
    if (type === "integer") return String(minimum ?? 1);
    if (type === "boolean") return "true";
    if (names.length > 0 && chance.happens(0.5)) return encodeURIComponent(chance.pick(names));
  }
  return encodeURIComponent(hostileText(chance));
}

function bodyOf(document: OpenApi, { operation }: Target, chance: Chance): string {
  const content = operation.requestBody?.content;
  if (content === undefined) return chance.happens(0.9) ? "" : hostileText(chance);
  const schema = content["application/json"]?.schema;
  if (schema === undefined) return hostileText(chance);
  return hostileJson(document, schema, chance);
}

function framed(body: Buffer, chance: Chance): { framing: string[]; sent: Buffer; isCut: boolean } {
  const way = chance.fraction();
  if (way < 0.8) {
    return { framing: [`Content-Length: ${body.length}`], sent: body, isCut: false };
  }
  if (way < 0.97) {
    const framing = ["Transfer-Encoding: chunked"];
    return { framing, sent: chunked(body, 1 + chance.below(4_000)), isCut: false };
  }
  return {
    framing: [`Content-Length: ${body.length + 1 + chance.below(1_000)}`],
    sent: body,
    isCut: true,
  };
}

function chunked(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let from = 0; from < body.length; from += size) {
    const piece = body.subarray(from, from + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

function parametersOf({ components }: OpenApi, { operation }: Target): Parameter[] {
  return operation.parameters.map((row) =>
    "$ref" in row ? components.parameters[row.$ref.split("/").at(-1)!]! : row,
  );
}

const HEADER_LENGTH_MAX = 8_000;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];
const CONTENT_TYPES = [
  "application/json",
  "text/plain",
  "multipart/form-data",
  "",
  ";;;",
  "application/json; charset=utf-16",
];
const FOREIGN = [
  "Delai",
  "Workflow-Init",
  "Workflow-RunId",
  "Forward-Host",
  "Callback-Method",
  "Redact-Fields",
];
