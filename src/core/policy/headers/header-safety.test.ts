import assert from "node:assert/strict";
import { test } from "node:test";
import { forwardProblem, headerProblem, isHeaderValue } from "./header-safety.ts";

const CONNECTION = [
  "Connection",
  "Content-Length",
  "expect",
  "HOST",
  "Keep-Alive",
  "proxy-authorization",
  "Proxy-Connection",
  "TE",
  "trailer",
  "Transfer-Encoding",
  "Upgrade",
];

for (const name of CONNECTION) {
  test(`${name} is never forwarded`, () => {
    assert.match(headerProblem(name, "x") ?? "", /belongs to the connection/);
    assert.match(forwardProblem(name, "x") ?? "", new RegExp(name));
  });
}

test("our own names cannot be forged, in either dialect and any case", () => {
  const names = ["Svc-Signature", "UPSTASH-MESSAGE-ID", "svc-", "Upstash-Workflow-", "svc-labels"];
  for (const name of names) {
    assert.match(forwardProblem(name, "x") ?? "", /set by the service/, name);
    assert.equal(headerProblem(name, "x"), null, name);
  }
});

test("labels and workflow headers are the named exceptions", () => {
  for (const name of ["Svc-Label", "upstash-label", "Upstash-Workflow-RunId", "svc-workflow-x"]) {
    assert.equal(forwardProblem(name, "x"), null, name);
  }
});

test("a name is a token", () => {
  for (const name of ["", "a b", "a:b", "ä", "a\r\nb", "(x)", "a\0", "x".repeat(257)]) {
    assert.match(forwardProblem(name, "x") ?? "", /not a valid HTTP token/, JSON.stringify(name));
  }
  for (const name of [
    "x",
    "X_Y",
    "!#$%&'*+-.^_`|~09",
    "__proto__",
    "constructor",
    "svcx",
    "x-svc-y",
  ]) {
    assert.equal(forwardProblem(name, "x"), null, name);
  }
});

test("a value is visible Latin-1 with blanks inside only", () => {
  for (const value of ["", "a", "a b", "a\tb", "a  b", "caf\u00e9", "\u0080\u00ff", '{"a": 1}']) {
    assert.ok(isHeaderValue(value), JSON.stringify(value));
    assert.equal(forwardProblem("X", value), null);
  }
  for (const value of [
    " a",
    "a ",
    "\t",
    "a\r\nb",
    "a\nb",
    "a\0",
    "\u007f",
    "\u0100",
    "\u{1f600}",
  ]) {
    assert.ok(!isHeaderValue(value), JSON.stringify(value));
    assert.match(forwardProblem("X", value) ?? "", /^header X: /);
  }
});

const shown = (length: number) => /"([^"]*)"/.exec(headerProblem(" ".repeat(length), "") ?? "");

test("a problem never shows a long name whole", () => {
  assert.ok((headerProblem(" ".repeat(100_000), "") ?? "").length < 200);
  assert.equal(shown(64)?.[1], " ".repeat(64));
  assert.equal(shown(65)?.[1], `${" ".repeat(64)}…`);
});
