/** The dashboard's page and files, as the server sends them. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { DashboardFiles } from "../../src/api/http/pages/dashboard-files.ts";
import {
  DASHBOARD_ROUTES,
  SCREENS,
  showAsset,
  showDashboard,
} from "../../src/api/http/pages/dashboard-routes.ts";
import { ROUTES } from "../../src/api/routes.ts";
import type { Api, UnreadCall } from "../../src/api/http/server/call.ts";
import { Command, LISTENING } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { call as callService } from "../support/http-call.ts";
import { SOURCE } from "../support/program.ts";
import { TestService } from "../support/service-harness.ts";

describe("the dashboard is served", () => {
  let service: TestService;
  before(async () => {
    service = await TestService.start();
  });
  after(() => service.stop());

  test("every screen answers with one page that loads nothing from elsewhere", async () => {
    for (const path of [
      "/",
      ...SCREENS.map((word) => `/${word}`),
      "/messages/msg_1",
      "/runs/a%2Fb?x=1",
    ]) {
      const { status, headers } = await get(service.url, path);
      assert.equal(status, 200, path);
      assert.match(headers["content-type"] ?? "", /^text\/html/);
      const policy = headers["content-security-policy"] ?? "";
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
      assert.equal(headers["x-content-type-options"], "nosniff");
      assert.equal(headers["referrer-policy"], "no-referrer");
    }
  });

  test("a path of the API stays one, and an unknown path is not a page", async () => {
    for (const path of ["/v2/messages", "/v2", "/other", "/assets/none.js"]) {
      const { status, headers } = await get(service.url, path);
      assert.ok(status === 401 || status === 404, path);
      assert.match(headers["content-type"] ?? "", /json/);
    }
  });

  test("no path of the API begins like a screen", () => {
    const words = new Set(DASHBOARD_ROUTES.map(({ path }) => firstWord(path)));
    assert.deepEqual(
      ROUTES.map(({ path }) => firstWord(path)).filter((word) => words.has(word)),
      [],
    );
  });
});

test("a checkout that is started builds its dashboard, and serves what it built", async (t) => {
  const flags = ["--data", freshFolder(t), ...LISTENING];
  const server = new Command(["dev", ...flags], {}, undefined, SOURCE);
  t.after(async () => {
    server.signal("SIGKILL");
    await server.ends();
  });
  const url = await server.url();
  const page = await eventually(async () => {
    const { text } = await callService(url, "GET", "/");
    return text.includes("is being built") ? null : text;
  }, "the dashboard is built");
  const assets = Array.from(page.matchAll(/"(\/assets\/[^"]+)"/g), ([, path]) => path!);
  for (const ending of [".js", ".css", ".svg"]) {
    assert.ok(
      assets.some((path) => path.endsWith(ending)),
      ending,
    );
  }
  for (const path of assets) assert.equal((await callService(url, "GET", path)).status, 200, path);
});

describe("the files of a build", () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-dashboard-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test("a page says that it is being built, until it is", () => {
    const built = join(folder, "later");
    const api = { dashboard: new DashboardFiles(built) } as unknown as Api;
    const waiting = showDashboard(api, call(""));
    assert.match(waiting.body as string, /is being built/);
    assert.match(waiting.body as string, /http-equiv="refresh"/);
    writeBuild(built, "<p>page</p>");
    assert.equal(textOf(showDashboard(api, call(""))), "<p>page</p>");
  });

  test("a file is sent compressed, or plain to those who need it, and is asked for once", () => {
    const built = join(folder, "files");
    writeBuild(built, "<p>page</p>");
    const api = { dashboard: new DashboardFiles(built) } as unknown as Api;
    const packed = showAsset(api, call("app-1.js", { "accept-encoding": "gzip, br" }));
    const headers = pairs(packed.headers ?? []);
    assert.equal(headers["Content-Encoding"], "gzip");
    assert.equal(headers["Cache-Control"], "public, max-age=31536000, immutable");
    const bytes = packed.body as Uint8Array;
    assert.equal(gunzipSync(bytes).toString(), "run()");
    const unpacked = showAsset(api, call("app-1.js"));
    assert.equal(unpacked.body, showAsset(api, call("app-1.js")).body, "it is in memory once");
    assert.equal(textOf(showAsset(api, call("app-1.js"))), "run()");
    const page = pairs(showDashboard(api, call("")).headers ?? []);
    assert.equal(page["Cache-Control"], "no-cache");
    const again = showDashboard(api, call("", { "if-none-match": page["ETag"]! }));
    assert.deepEqual([again.status, again.body], [304, ""]);
    assert.throws(() => showAsset(api, call("../manifest.json")), /not part of the dashboard/);
  });
});

function firstWord(path: string): string {
  return path.split("/")[1] ?? "";
}

function call(rest: string, headers: Record<string, string> = {}): UnreadCall {
  return { request: { headers }, rest } as unknown as UnreadCall;
}

function writeBuild(folder: string, page: string): void {
  mkdirSync(folder, { recursive: true });
  const files = [
    { path: "/", file: "0.gz", type: "text/html; charset=utf-8", hash: "one", text: page },
    { path: "/assets/app-1.js", file: "1.gz", type: "text/javascript", hash: "two", text: "run()" },
  ];
  for (const { file, text } of files) writeFileSync(join(folder, file), gzipSync(text));
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ sources: "", files }));
}

function textOf({ body }: { body: unknown }): string {
  return Buffer.from(body as Uint8Array).toString();
}

function pairs(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]!]] : [])),
  );
}

function get(
  url: string,
  path: string,
): Promise<{ status: number; headers: Record<string, string | undefined> }> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path }, (response) => {
      response.resume().once("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string | undefined>,
        });
      });
    });
    sent.once("error", reject).end();
  });
}
