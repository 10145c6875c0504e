import type { IncomingMessage } from "node:http";
import { Problem } from "../../../core/problem.ts";
import { requireFewHeaders } from "../../../wire/headers/header-object.ts";
import { rewriteTarget } from "./request-target.ts";

/** The headers that the server itself needs, found in one pass. */
export interface RequestHead {
  readonly authorization: string | undefined;
  /** The declared size of the body; null when it is sent in chunks. */
  readonly bodyBytes: number | null;
}

/**
 * Node would silently drop headers beyond its limit. Settings of messages are headers, so all are
 * read, counted, and refused when they are too many.
 */
export function readHead(request: IncomingMessage): RequestHead {
  const { rawHeaders } = request;
  requireFewHeaders(rawHeaders);
  let authorization: string | undefined;
  let host: string | undefined;
  let bodyBytes: number | null = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const value = rawHeaders[index + 1]!;
    switch (singleName(rawHeaders[index]!)) {
      case "authorization":
        if (authorization !== undefined) throw givenTwice("Authorization");
        authorization = value;
        break;
      case "host":
        if (host !== undefined) throw givenTwice("Host");
        host = value;
        break;
      case "content-length":
        bodyBytes = Number(value);
        break;
      case "transfer-encoding":
        if (bodyBytes === null) throw givenTwice("Transfer-Encoding");
        requireChunked(value, request.httpVersion);
        bodyBytes = null;
        break;
      case "expect":
        requireContinue(value);
        break;
      case null:
    }
  }
  if (host === undefined && request.httpVersion === "1.1") {
    throw new Problem("invalid-request", "Host: is missing");
  }
  rewriteTarget(request, host);
  return { authorization, bodyBytes };
}

/** A proxy before the service could interpret a list of encodings differently. */
function requireChunked(value: string, httpVersion: string): void {
  if (value.toLowerCase() === "chunked" && httpVersion === "1.1") return;
  throw new Problem("invalid-request", "Transfer-Encoding: must be chunked, in HTTP/1.1");
}

function requireContinue(value: string): void {
  if (value.toLowerCase() === "100-continue") return;
  throw new Problem("invalid-request", "Expect: may only be 100-continue");
}

type SingleName = "host" | "expect" | "authorization" | "content-length" | "transfer-encoding";

/** The length is compared first, so that most names are not read. */
function singleName(name: string): SingleName | null {
  const known = NAMES_BY_LENGTH[name.length];
  return known !== undefined && name.toLowerCase() === known ? known : null;
}

const NAMES_BY_LENGTH: Readonly<Record<number, SingleName>> = {
  4: "host",
  6: "expect",
  13: "authorization",
  14: "content-length",
  17: "transfer-encoding",
};

function givenTwice(name: string): Problem {
  return new Problem("invalid-request", `${name}: is given twice`);
}
