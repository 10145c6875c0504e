import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Answer } from "../http/answer.ts";

/** A document that is the same for every caller until the next start. */
export interface StaticPage {
  readonly body: string;
  readonly contentType: string;
  readonly etag: string;
}

export function staticPage(body: string, contentType: string): StaticPage {
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { body, contentType, etag: `"${hash}"` };
}

/** The page, or 304 for a caller that has it. */
export function answerPage(
  { body, contentType, etag }: StaticPage,
  request: IncomingMessage,
): Answer {
  const headers = ["ETag", etag, "Cache-Control", "public, max-age=300", ...SAFETY];
  const known = request.headers["if-none-match"]?.split(",").map((tag) => tag.trim()) ?? [];
  const isKnown = known.some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
  if (isKnown) return { status: 304, body: "", headers };
  return { status: 200, body, contentType, headers };
}

/** A page loads the style sheet of its own server, and nothing else. */
const SAFETY = [
  "Content-Security-Policy",
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options",
  "nosniff",
  "Referrer-Policy",
  "no-referrer",
];
