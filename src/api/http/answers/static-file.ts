import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Answer } from "./answer.ts";
import { acceptedCoding } from "./content-coding.ts";

/** A file that is the same for every caller, compressed once. */
export interface StaticFile {
  readonly type: string;
  readonly hash: string;
  readonly compressed: Uint8Array;
  /** For the rare client that does not accept gzip. */
  plain: Uint8Array | null;
}

export function staticFile(text: string, type: string): StaticFile {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return { type, hash, compressed: gzipSync(text), plain: null };
}

/** The file, or 304 for a caller that has it. */
export function answerFile(file: StaticFile, request: IncomingMessage, caching: string): Answer {
  const etag = `"${file.hash}"`;
  const common = ["ETag", etag, "Vary", "Accept-Encoding", "Cache-Control", caching];
  const headers = [...common, ...SECURITY_HEADERS];
  const known = request.headers["if-none-match"] ?? "";
  // The quotes of the tag are found nowhere within another.
  const isKnown = known.trim() === "*" || known.includes(etag);
  if (isKnown) return { status: 304, body: "", headers };
  const isCompressed = acceptedCoding(request, ["gzip"]) === "gzip";
  return {
    status: 200,
    body: isCompressed ? file.compressed : (file.plain ??= gunzipSync(file.compressed)),
    contentType: file.type,
    isPublic: true,
    headers: [...(isCompressed ? ["Content-Encoding", "gzip"] : []), ...headers],
  };
}

/** A page loads only what its own server has, and no text in it can become code. */
export const SECURITY_HEADERS = [
  "Content-Security-Policy",
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "no-referrer",
  "Cross-Origin-Opener-Policy",
  "same-origin",
];
