import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { test } from "node:test";
import { Problem } from "../../../core/problem.ts";
import type { Api, UnreadCall } from "../server/call.ts";
import { showMetrics } from "./metrics.ts";

interface Asked {
  readonly headers?: IncomingHttpHeaders;
  readonly remoteAddress?: string | undefined;
  readonly metricsToken?: string | undefined;
}

const TOKEN = "token-of-the-metrics";

/** What the reader of the metrics was told, or the status of the refusal. */
async function shown({ headers, remoteAddress = "127.0.0.1", metricsToken }: Asked) {
  const told: Record<string, unknown>[] = [];
  const read = (given: Record<string, unknown>) => {
    told.push(given);
    const samples = [{ value: 1 }];
    return Promise.resolve([{ name: "up", help: "Up.", type: "gauge", samples }]);
  };
  const refusals = { counts: new Map([["unauthorized", 2]]) };
  const service = { metrics: { read }, refusals, version: "1.2.3", startedAtSeconds: 7 };
  const api = { ...service, metricsToken } as unknown as Api;
  const request = { headers: { host: "localhost:8080", ...headers }, socket: { remoteAddress } };
  try {
    const answer = await showMetrics(api, { request } as unknown as UnreadCall);
    return { answer, told: told[0]! };
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error.status;
  }
}

test("metrics are text of the server's own numbers", async () => {
  const before = process.cpuUsage();
  const found = await shown({});
  assert.ok(typeof found === "object");
  assert.deepEqual(found.answer, {
    status: 200,
    body: "# HELP up Up.\n# TYPE up gauge\nup 1\n",
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  });
  const { version, refusals, startedAtSeconds, cpuSeconds, residentBytes } = found.told;
  assert.deepEqual([version, startedAtSeconds], ["1.2.3", 7]);
  assert.deepEqual(refusals, new Map([["unauthorized", 2]]));
  const { user, system } = process.cpuUsage();
  const usedMicroseconds = Number(cpuSeconds) * 1_000_000;
  assert.ok(usedMicroseconds >= before.user + before.system - 1);
  assert.ok(usedMicroseconds <= user + system + 1);
  assert.ok(Number(residentBytes) > 1_000_000);
});

const isOpen = async (asked: Asked) => (await shown(asked)) !== 401;

test("the token opens them from anywhere, and no other does", async () => {
  const from = { remoteAddress: "192.0.2.1", metricsToken: TOKEN };
  for (const scheme of ["Bearer", "bearer"]) {
    assert.ok(await isOpen({ ...from, headers: { authorization: `${scheme} ${TOKEN}` } }));
  }
  for (const authorization of ["Bearer other", TOKEN, `Basic ${TOKEN}`, ""]) {
    assert.ok(!(await isOpen({ ...from, headers: { authorization } })), authorization);
  }
  assert.ok(!(await isOpen(from)));
  const headers = { authorization: "Bearer undefined" };
  assert.ok(!(await isOpen({ remoteAddress: "192.0.2.1", headers })));
});

test("a wrong token is refused on the machine itself too", async () => {
  const headers = { authorization: "Bearer other" };
  assert.ok(!(await isOpen({ headers, metricsToken: TOKEN })));
  assert.ok(!(await isOpen({ headers })));
  assert.ok(await isOpen({ metricsToken: TOKEN }));
});

test("the machine itself needs no token, under a name that means it", async () => {
  for (const remoteAddress of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    assert.ok(await isOpen({ remoteAddress }), remoteAddress);
  }
  for (const remoteAddress of ["192.0.2.1", "10.0.0.1", ""]) {
    assert.ok(!(await isOpen({ remoteAddress })), remoteAddress);
  }
  for (const host of ["localhost", "127.0.0.1:80", "[::1]:80", "app.localhost"]) {
    assert.ok(await isOpen({ headers: { host } }), host);
  }
  for (const host of ["example.com", "localhost.example.com:80", "", "a b", undefined]) {
    assert.ok(!(await isOpen({ headers: { host } })), host);
  }
});

const FORWARDING = [
  "cf-connecting-ip",
  "client-ip",
  "fastly-client-ip",
  "forwarded",
  "true-client-ip",
  "via",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-envoy-external-address",
  "x-real-ip",
  "x-original-forwarded-for",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded",
];
for (const name of FORWARDING) {
  test(`what a proxy forwards with ${name} is not of the machine itself`, async () => {
    assert.ok(!(await isOpen({ headers: { [name]: "192.0.2.1" } })));
  });
}

test("any other header says nothing of a proxy", async () => {
  assert.ok(await isOpen({ headers: { "x-forward": "1", "x-other": "1", accept: "*/*" } }));
});
