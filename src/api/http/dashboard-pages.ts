import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";
import { Problem } from "../../core/problem.ts";
import { acceptsGzip } from "./accepts-gzip.ts";
import type { Answer } from "./answer.ts";
import type { Api, UnreadCall } from "./call.ts";
import type { DashboardFile } from "./dashboard-files.ts";

/** The same page for every screen: the URL chooses within it. */
export function showDashboard({ dashboard }: Api, { request }: UnreadCall): Answer {
  const file = dashboard.page();
  if (file === null) return BEING_BUILT;
  return fileAnswer(file, request, ["Cache-Control", "no-cache"]);
}

export function showAsset({ dashboard }: Api, { request, rest }: UnreadCall): Answer {
  const file = dashboard.asset(`/assets/${rest}`);
  if (file === null) throw new Problem("not-found", "this file is not part of the dashboard");
  return fileAnswer(file, request, ["Cache-Control", "public, max-age=31536000, immutable"]);
}

function fileAnswer(
  file: DashboardFile,
  request: IncomingMessage,
  caching: readonly string[],
): Answer {
  const etag = `"${file.hash}"`;
  const common = ["ETag", etag, "Vary", "Accept-Encoding", ...caching, ...SECURITY_HEADERS];
  if (request.headers["if-none-match"] === etag) return { status: 304, body: "", headers: common };
  const isCompressed = acceptsGzip(request);
  const bytes = isCompressed ? file.compressed : (file.plain ??= gunzipSync(file.compressed));
  return {
    status: 200,
    body: bytes,
    contentType: file.type,
    isPublic: true,
    headers: [...(isCompressed ? ["Content-Encoding", "gzip"] : []), ...common],
  };
}

const SECURITY_HEADERS = [
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

const BEING_BUILT: Answer = {
  status: 200,
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta http-equiv="refresh" content="1"><title>Postrider</title></head>
<body><h1>Postrider is running</h1><p>Its dashboard is being built. This page opens it by itself.</p>
<p>If it does not within a minute, the log of the server says why. The API works already.</p></body>
</html>
`,
  contentType: "text/html; charset=utf-8",
  isPublic: true,
  headers: ["Cache-Control", "no-store", ...SECURITY_HEADERS],
};
