import type { IncomingMessage } from "node:http";
import { Problem } from "../../core/problem.ts";
import { requireFewHeaders } from "../../wire/headers/header-count.ts";

/** What the door itself needs of a request's headers, found in one pass over them. */
export interface RequestHead {
  readonly authorization: string | undefined;
  /** The declared size of the body; null when it is sent in chunks. */
  readonly bodyBytes: number | null;
}

/**
 * Node would drop headers beyond its limit without a word. Here the options of a message are
 * headers, so that all are taken, counted, and refused when they are too many.
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
      case null:
    }
  }
  if (host === undefined && request.httpVersion === "1.1") {
    throw new Problem("invalid-request", "Host: is missing");
  }
  return { authorization, bodyBytes };
}

/** A list of encodings could be read in another way by a proxy before the service. */
function requireChunked(value: string, httpVersion: string): void {
  if (value.toLowerCase() === "chunked" && httpVersion === "1.1") return;
  throw new Problem("invalid-request", "Transfer-Encoding: must be chunked, in HTTP/1.1");
}

type SingleName = "host" | "authorization" | "content-length" | "transfer-encoding";

/** Judged by its length first, so that most names are not looked at. */
function singleName(name: string): SingleName | null {
  const known = NAMES_BY_LENGTH[name.length];
  return known !== undefined && name.toLowerCase() === known ? known : null;
}

const NAMES_BY_LENGTH: Readonly<Record<number, SingleName>> = {
  4: "host",
  13: "authorization",
  14: "content-length",
  17: "transfer-encoding",
};

function givenTwice(name: string): Problem {
  return new Problem("invalid-request", `${name}: is given twice`);
}
