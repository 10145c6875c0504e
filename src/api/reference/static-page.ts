import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { acceptsGzip } from "../http/accepts-gzip.ts";
import type { Answer } from "../http/answer.ts";

/** A document that is the same for every caller until the next start. */
export interface StaticPage {
  readonly body: Uint8Array;
  readonly compressed: Uint8Array;
  readonly contentType: string;
  readonly etag: string;
}

export function staticPage(text: string, contentType: string): StaticPage {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { body, compressed: gzipSync(body), contentType, etag: `"${hash}"` };
}

/** The page, or 304 for a caller that has it. */
export function answerPage(page: StaticPage, request: IncomingMessage): Answer {
  const { body, compressed, contentType, etag } = page;
  const caching = ["ETag", etag, "Vary", "Accept-Encoding", "Cache-Control", "public, max-age=300"];
  const headers = [...caching, ...SAFETY];
  const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim()) ?? [];
  const isKnown = known.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
  if (isKnown) return { status: 304, body: "", headers };
  if (!acceptsGzip(request)) return { status: 200, body, contentType, headers, isPublic: true };
  const all = ["Content-Encoding", "gzip", ...headers];
  return { status: 200, body: compressed, contentType, headers: all, isPublic: true };
}

/** A page loads the style sheet of its own server, its icon from itself, and nothing else. */
const SAFETY = [
  "Content-Security-Policy",
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "no-referrer",
];
