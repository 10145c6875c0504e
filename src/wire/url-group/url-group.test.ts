import assert from "node:assert/strict";
import { test } from "node:test";
import {
  readDefaultHeaders,
  readEndpoints,
  readEndpointsToRemove,
  urlGroupJson,
} from "./url-group.ts";

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const URL = "https://example.com";

test("endpoints have a URL, and a name if it is not empty", () => {
  const endpoints = [{ url: URL, name: "a" }, { url: URL }, { url: URL, name: "" }];
  assert.deepEqual(readEndpoints(bytes({ endpoints })), [
    { url: URL, name: "a" },
    { url: URL, name: undefined },
    { url: URL, name: undefined },
  ]);
  assert.equal(readEndpoints(bytes({ endpoints: [{ url: URL, name: null }] }))[0]?.name, undefined);
  assert.throws(() => readEndpoints(bytes([])), /must be an object with the member endpoints/);
  assert.throws(() => readEndpoints(bytes({ endpoints: [] })), /endpoints: is empty/);
  assert.throws(
    () => readEndpoints(bytes({ endpoints: [{ name: "a" }] })),
    /\[0\]\.url: is missing/,
  );
});

const many = (count: number) =>
  bytes({ endpoints: Array.from({ length: count }, () => ({ url: URL })) });

const named = (name: string) => bytes({ endpoints: [{ url: URL, name }] });

test("a request names up to 1,000 endpoints with names of up to 128 characters", () => {
  assert.equal(readEndpoints(many(1_000)).length, 1_000);
  assert.throws(() => readEndpoints(many(1_001)), /endpoints: has more than 1000/);
  assert.equal(readEndpoints(named("x".repeat(128)))[0]?.name?.length, 128);
  for (const name of ["x".repeat(129), "a\n"]) {
    assert.throws(() => readEndpoints(named(name)), /name: must be at most 128 characters/);
  }
});

test("a request about a group has at most 10 MiB", () => {
  const large = new Uint8Array(10 * 1024 * 1024 + 1);
  assert.throws(() => readEndpoints(large), /body: is larger than 10485760 bytes/);
});

test("endpoints are removed by URL, name or both", () => {
  const choices = [{ url: URL }, { name: "a" }, { url: URL, name: "a" }, { url: "", name: "a" }];
  assert.deepEqual(readEndpointsToRemove(bytes({ endpoints: choices })), [
    { url: URL, name: undefined },
    { url: undefined, name: "a" },
    { url: URL, name: "a" },
    { url: undefined, name: "a" },
  ]);
  for (const none of [{}, { url: "" }, { url: null, name: "" }]) {
    const endpoints = [{ url: URL }, none];
    const refused = /endpoints\[1\]: must have a url or a name/;
    assert.throws(() => readEndpointsToRemove(bytes({ endpoints })), refused);
  }
});

const read = (headers: object) => readDefaultHeaders(bytes({ headers }), {}).headers;

test("default headers are those of a publish", () => {
  const good = { "Svc-Retries": "3", "Content-Type": ["text/plain"], "upstash-forward-x": "1" };
  assert.throws(() => read(good), /headers: .*two vocabularies/);
  assert.deepEqual(read({ "Svc-Retries": "3", "Content-Type": ["text/plain"] }), [
    ["Svc-Retries", "3"],
    ["Content-Type", "text/plain"],
  ]);
  assert.throws(() => read({ "X-Other": "1" }), /headers: X-Other is not a header of this service/);
  assert.throws(() => read({ "Scv-Retries": "1" }), /headers: .*[Ss]vc-/);
  assert.throws(() => read({ "Svc-Retries": "x" }), /headers: Svc-Retries: is not a whole number/);
});

test("a group shows its endpoints and its headers", () => {
  const group = { name: "g", endpoints: [{ url: URL }], createdAt: 1, updatedAt: 2 };
  const kept = { accountId: "account", ...group };
  assert.deepEqual(urlGroupJson({ ...kept, headers: [] }), { ...group, headers: undefined });
  const { headers } = urlGroupJson({ ...kept, headers: [["svc-retries", "3"]] });
  assert.deepEqual({ ...headers }, { "Svc-Retries": ["3"] });
});
