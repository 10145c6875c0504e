import assert from "node:assert/strict";
import { test } from "node:test";
import { SignatureError } from "../errors.ts";
import { requireSignedFor } from "./signed-url.ts";

function isFor(signed: unknown, url: string, headers: Record<string, string> | null = {}): boolean {
  try {
    const own = { url, isGiven: headers === null, headers: new Headers(headers ?? {}) };
    requireSignedFor(signed, own);
    return true;
  } catch (error) {
    assert.ok(error instanceof SignatureError);
    return false;
  }
}

test("scheme, usual ports, a slash at the end, spelling and query do not count", () => {
  const url = "https://app.example/a/b-c";
  for (const other of [
    "http://app.example/a/b-c",
    "http://APP.example:80/a/b-c",
    "http://app.example:443/a/b-c/",
    "https://app.example./a/x/../b%2Dc?y=1",
  ]) {
    assert.ok(isFor(url, other) && isFor(other, url), other);
    assert.ok(isFor(url, other, null), other);
  }
  assert.ok(isFor("https://a.example", "https://a.example/"));
  assert.ok(isFor("https://a.example/%c3%a4%2f", "https://a.example/ä%2F"));
});

test("host and path do", () => {
  const url = "https://app.example/a";
  for (const other of [
    "https://app.example/A",
    "https://app.example/a/b",
    "https://app.example/",
    "https://app.example:8443/a",
    "https://app.example.evil/a",
    "https://evil.example/a",
    "https://evil.example/?https://app.example/a",
  ]) {
    assert.ok(!isFor(url, other), other);
    assert.ok(!isFor(other, url), other);
  }
  for (const nothing of [undefined, null, 1, "", "app.example/a", {}]) {
    assert.ok(!isFor(nothing, url), JSON.stringify(nothing));
  }
});

test("what proxies say of the host counts, unless the URL was given", () => {
  const signed = "https://app.example/a";
  const inside = "http://10.0.0.7:3000/a";
  assert.ok(isFor(signed, inside, { Host: "app.example" }));
  assert.ok(isFor(signed, inside, { "X-Forwarded-Host": "app.example" }));
  assert.ok(isFor(signed, inside, { "X-Forwarded-Host": "edge.example, App.Example:443" }));
  assert.ok(!isFor(signed, inside, { "X-Forwarded-Host": "edge.example" }));
  assert.ok(!isFor(signed, "http://10.0.0.7:3000/b", { "X-Forwarded-Host": "app.example" }));
  assert.ok(!isFor(signed, inside, null));
  const own = { url: inside, isGiven: true, headers: new Headers({ Host: "app.example" }) };
  assert.throws(() => requireSignedFor(signed, own), /app\.example\/a, not for .*10\.0\.0\.7/);
});
