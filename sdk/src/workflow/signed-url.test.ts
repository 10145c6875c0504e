import assert from "node:assert/strict";
import { test } from "node:test";
import { ForeignSignatureError } from "../errors.ts";
import { type OwnUrl, requireSignedFor, requireSignedForStart } from "./signed-url.ts";

const NO_HEADERS = new Headers();

function ownUrl(url: string, more: Partial<OwnUrl> = {}): OwnUrl {
  return { url, isGiven: false, headers: NO_HEADERS, trustsProxy: false, ...more };
}

function isTaken(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    assert.ok(error instanceof ForeignSignatureError);
    return false;
  }
}

function isFor(signed: unknown, url: string, more?: Partial<OwnUrl>): boolean {
  return isTaken(() => requireSignedFor(signed, ownUrl(url, more)));
}

function starts(signed: unknown, url: string, isGiven = true): boolean {
  return isTaken(() => requireSignedForStart(signed, ownUrl(url, { isGiven })));
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
    assert.ok(isFor(url, other, { isGiven: true }), other);
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

test("what proxies say of the host counts where they are trusted, unless the URL was given", () => {
  const signed = "https://app.example/a";
  const inside = "http://10.0.0.7:3000/a";
  for (const headers of [
    { Host: "app.example" },
    { "X-Forwarded-Host": "app.example" },
    { "X-Forwarded-Host": "edge.example, App.Example:443" },
  ]) {
    const told = { headers: new Headers(headers) };
    assert.ok(isFor(signed, inside, { ...told, trustsProxy: true }));
    assert.ok(!isFor(signed, inside, told));
    assert.ok(!isFor(signed, inside, { ...told, trustsProxy: true, isGiven: true }));
    assert.ok(!isFor(signed, "http://10.0.0.7:3000/b", { ...told, trustsProxy: true }));
  }
  for (const host of ["edge.example", "app.example, edge.example", "", "app.example,"]) {
    const headers = new Headers({ "X-Forwarded-Host": host });
    assert.ok(!isFor(signed, inside, { headers, trustsProxy: true }), host);
  }
  const refused = (more: Partial<OwnUrl>) => () => requireSignedFor(signed, ownUrl(inside, more));
  assert.throws(refused({ isGiven: true }), /app\.example\/a, not for .*10\.0\.0\.7/);
  assert.throws(refused({}), /give that as url in the options of serve, or trustProxy: true/);
});

test("a plain message must be for the whole URL that was given", () => {
  const url = "https://app.example/a?b=1";
  assert.ok(starts(url, url));
  assert.ok(starts("https://APP.example:443/%61?b=1", url));
  assert.ok(!starts(url, url, false));
  for (const other of [
    "http://app.example/a?b=1",
    "https://app.example/a",
    "https://app.example/a?b=2",
    "https://app.example/A?b=1",
    "https://app.example:8443/a?b=1",
    "https://evil.example/a?b=1",
    undefined,
    null,
    "",
    [url, url],
  ]) {
    assert.ok(!starts(other, url), String(other));
  }
});
