import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryHeaders, requestHeaders } from "./forwarded-headers.ts";

const given = (name: string, value: string) => ({ name, value, sentAs: `Svc-Forward-${name}` });

test("headers are sent in canonical spelling, each as often as it is given", () => {
  assert.deepEqual(deliveryHeaders([given("x-a", "1"), given("X-A", "2")], false), [
    ["X-A", "1"],
    ["X-A", "2"],
  ]);
});

test("one that may not be sent is refused by its name in the request, or dropped", () => {
  const bad = [given("host", "x"), given("x-ok", "1"), given("a b", "x")];
  assert.deepEqual(deliveryHeaders(bad, true), [["X-Ok", "1"]]);
  const refused = (index: number) => () => deliveryHeaders([bad[index]!], false);
  assert.throws(refused(0), /Svc-Forward-host: belongs to the connection and cannot be forwarded/);
  assert.throws(refused(2), /Svc-Forward-a\?b: what follows the prefix is not a valid header name/);
});

test("a body has one type", () => {
  const type = given("content-TYPE", "text/plain");
  assert.equal(deliveryHeaders([type], false).length, 1);
  assert.throws(() => deliveryHeaders([type, type], false), /Content-TYPE: is given twice/i);
});

test("of the request's own headers those of others are sent on", () => {
  const raw = {
    "X-Own": " 1\t",
    Authorization: "Bearer t",
    HOST: "x",
    "Svc-Retries": "3",
    "upstash-delay": "1s",
    Connection: "X-Hop , x-other",
    "x-hop": "1",
    "X-OTHER": "1",
    "x-given": "1",
    "bad name": "1",
    "X-Last": "2",
  };
  assert.deepEqual(
    requestHeaders(Object.entries(raw).flat(), [given("X-Given", "2")]).map(
      ({ name, value, sentAs }) => [name, value, sentAs],
    ),
    [
      ["X-Own", "1", "X-Own"],
      ["X-Last", "2", "X-Last"],
    ],
  );
  assert.deepEqual(requestHeaders([], []), []);
});
