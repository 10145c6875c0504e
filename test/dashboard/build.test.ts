/** What a browser loads is small, names no other host, and is built once. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { ROOT } from "../house/sources.ts";

const BYTES_MAX = 150_000;

test("the build is small, whole, and not made twice", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-build-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const target = join(folder, "dashboard");
  const build = (): number => {
    execFileSync(process.execPath, [join(ROOT, "dashboard/build.mjs"), target]);
    return statSync(join(target, "manifest.json")).mtimeMs;
  };
  const builtAt = build();
  const { files } = JSON.parse(readFileSync(join(target, "manifest.json"), "utf8")) as {
    files: { path: string; file: string }[];
  };
  const packed = files.map(({ path, file }) => ({ path, bytes: readFileSync(join(target, file)) }));
  const total = packed.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  assert.ok(total > 10_000 && total < BYTES_MAX, `${total} bytes`);
  const page = gunzipSync(packed.find(({ path }) => path === "/")!.bytes).toString();
  const named = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1]);
  // The icon, the style, the script, and what the script and screens that are loaded later share.
  assert.equal(named.length, 4);
  assert.deepEqual(
    named.filter((path) => !files.some((file) => file.path === path)),
    [],
  );
  const later = files.filter(({ path }) => path.endsWith(".js") && !named.includes(path));
  assert.match(later.map(({ path }) => path).join(), /^\/assets\/reference-screen-\w+\.js$/);
  assert.doesNotMatch(page, /style=|<script>|%[A-Z]+%/);
  assert.equal(build(), builtAt);
});
