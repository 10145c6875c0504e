import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Api, UnreadCall } from "../server/call.ts";
import { showAsset, showDashboard } from "./dashboard-routes.ts";

const FILE = { type: "text/html", hash: "abc", compressed: gzipSync("page"), plain: null };

function api(files: Readonly<Record<string, typeof FILE>>): Api {
  const asset = (path: string) => files[path] ?? null;
  return { dashboard: { page: () => asset("/"), asset } } as unknown as Api;
}

const call = (rest = ""): UnreadCall =>
  ({ request: { headers: {} } as IncomingMessage, rest }) as UnreadCall;

const headerOf = (headers: readonly string[] | undefined, name: string): string | undefined =>
  headers?.[headers.indexOf(name) + 1];

test("the page is asked for anew each time, and its files are kept for a year", () => {
  const built = api({ "/": FILE, "/assets/a.js": FILE });
  const page = showDashboard(built, call());
  assert.equal(page.status, 200);
  assert.equal(headerOf(page.headers, "Cache-Control"), "no-cache");
  const asset = showAsset(built, call("a.js"));
  assert.equal(headerOf(asset.headers, "Cache-Control"), "public, max-age=31536000, immutable");
});

test("a file that is not part of the dashboard is not found", () => {
  assert.throws(() => showAsset(api({ "/": FILE }), call("a.js")), /not part of the dashboard/);
});

test("while it is being built a page says so, kept by no cache and framed by no other site", () => {
  const page = showDashboard(api({}), call());
  assert.equal(page.status, 200);
  assert.equal(page.contentType, "text/html; charset=utf-8");
  assert.match(page.body as string, /being built/);
  assert.equal(headerOf(page.headers, "Cache-Control"), "no-store");
  assert.ok(page.headers?.includes("Content-Security-Policy"));
});
