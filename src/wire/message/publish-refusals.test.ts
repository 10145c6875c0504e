import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Problem } from "../../core/problem.ts";
import { type HeaderCall, type HeaderRow, HEADERS } from "../headers/header.ts";
import { readPublishOptions } from "./publish.ts";

function refusalOf(raw: readonly string[], call?: HeaderCall): Problem {
  try {
    readPublishOptions(raw, [], { defaultDialect: "svc", call });
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error;
  }
  return assert.fail(`accepted ${JSON.stringify(raw)}`);
}

const REFUSED: readonly (readonly [name: string, value: string])[] = [
  ["Svc-Method", "TRACE"],
  ["Svc-Timeout", "soon"],
  ["Svc-Retries", "-1"],
  ["Svc-Retries", "0x10"],
  ["Svc-Retries", "1e3"],
  ["Svc-Retries", ""],
  ["Svc-Retries", "1234567890123456"],
  ["Svc-Retry-Delay", "1 / 0"],
  ["Svc-Retry-Delay", "sqrt(2 - retried)"],
  ["Svc-Delay", "1m1h"],
  ["Svc-Not-Before", "1700000000000"],
  ["Svc-Callback", "ftp://example.com"],
  ["Svc-Callback", ""],
  ["Svc-Callback-Retries", "many"],
  ["Svc-Callback-Retry-Delay", "sqrt(2 - retried)"],
  ["Svc-Callback-Forward-Host", "x"],
  ["Svc-Failure-Callback-Delay", "1h1h"],
  ["Svc-Label", " , "],
  ["Svc-Label", "a".repeat(129)],
  ["Svc-Redact-Fields", "everything"],
  ["Svc-Deduplication-Id", "a:b"],
  ["Svc-Deduplication-Id", ""],
  ["Svc-Flow-Control-Key", "k".repeat(257)],
  ["Svc-Content-Based-Deduplication", "yes"],
  ["Svc-Flow-Control-Value", "rate=1, rate=2"],
  ["Svc-Flow-Control-Value", "period=1s"],
  ["Svc-Flow-Control-Value", "rate=0"],
  ["Svc-Flow-Control-Value", "rate=1,period=0"],
  ["Svc-Flow-Control-Value", "rate=1,period=8d"],
  ["Svc-Flow-Control-Value", "rate=1,speed=2"],
  ["Svc-Flow-Control-Value", "rate"],
  ["Svc-Flow-Control-Value", "rate=1,"],
  ["Svc-Header-Forward", "1"],
  ["Svc-Hop", "9"],
  ["Svc-Retrys", "3"],
  ["Svc-Cron", "* * * * *"],
  ["Svc-Queue-Name", "q"],
  ["Svc-Forward-", "x"],
  ["Svc-Forward-Host", "x"],
  ["Svc-Forward-Transfer-Encoding", "chunked"],
  ["Svc-Forward-Svc-Signature", "forged"],
  ["Svc-Forward-Upstash-Message-Id", "forged"],
  ["Svc-Forward-X", "a\r\nb"],
  ["Svc-Forward-X", "\u0142"],
  ["Svc-Label", "a\u0000b"],
  ["Svc-Label", "\u0142"],
  ["Content-Type", "a\u0001b"],
];

test("what is refused is refused with 400 and the header's name", () => {
  for (const [name, value] of REFUSED) {
    const refusal = refusalOf([name, value]);
    assert.equal(refusal.status, 400);
    const shown = name.replace(/-$/, "");
    assert.ok(refusal.message.toLowerCase().startsWith(shown.toLowerCase()), refusal.message);
  }
});

test("the dialect of the request is the one in the refusal", () => {
  assert.match(refusalOf(["upstash-retries", "x"]).message, /^Upstash-Retries: /);
  assert.match(refusalOf(["svc-RETRIES", "x"]).message, /^Svc-Retries: /);
  const id = refusalOf(["Svc-Deduplication-Id", "a:b"]).message;
  assert.equal(id, "Svc-Deduplication-Id: DeduplicationId cannot contain ':'");
});

test("two dialects in one request are refused, naming both", () => {
  const { message } = refusalOf(["Svc-Retries", "1", "Upstash-Forward-X", "1"]);
  assert.match(message, /Svc-Retries and Upstash-Forward-X/);
});

const VALID = [
  ["Callback", "https://example.com"],
  ["Method", "POST"],
  ["Redact-Fields", "body"],
  ["Content-Based-Deduplication", "true"],
  ["Header-Forward", "true"],
  ["Flow-Control-Value", "rate=1"],
  ["Cron", "* * * * *"],
] as const;

/** A request that reads the header. */
const callOf = (row: HeaderRow): HeaderCall =>
  row.calls.includes("publish") ? "publish" : row.calls[0]!;

test("a setting given twice is refused", () => {
  for (const row of HEADERS) {
    const name = `Svc-${row.name}`;
    const value = VALID.find(([end]) => row.name.endsWith(end))?.[1] ?? "1";
    const { message } = refusalOf([name, value, name.toLowerCase(), value], callOf(row));
    assert.equal(message, `${name}: is given twice`);
  }
  const types = ["Content-Type", "a/b", "content-type", "a/b"];
  assert.match(refusalOf(types).message, /^Content-Type: is given twice/);
  const forwarded = ["Svc-Forward-Content-Type", "a/b", "Svc-Forward-Content-Type", "a/c"];
  assert.match(refusalOf(forwarded).message, /Content-Type: is given twice/);
});

test("half a flow control is refused", () => {
  assert.match(refusalOf(["Svc-Flow-Control-Key", "k"]).message, /^Svc-Flow-Control-Value: /);
  assert.match(refusalOf(["Svc-Flow-Control-Value", "rate=1"]).message, /^Svc-Flow-Control-Key: /);
});

test("enqueueing takes no delay, and schedules no instant", () => {
  assert.match(refusalOf(["Svc-Delay", "1s"], "enqueue").message, /^Svc-Delay: /);
  assert.match(refusalOf(["Svc-Not-Before", "1"], "enqueue").message, /^Svc-Not-Before: /);
  assert.match(refusalOf(["Svc-Not-Before", "1"], "schedule").message, /^Svc-Not-Before: /);
});

const prefixes = fc.constantFrom("Svc-", "svc-", "Upstash-", "");
const suffixes = fc.oneof(
  fc.constantFrom(...HEADERS.map((row) => row.name)),
  fc.constantFrom("Forward-X", "Callback-Forward-X", "Content-Type", "__proto__", "constructor"),
  fc.string({ maxLength: 12 }),
);
const values = fc.oneof(
  fc.string({ maxLength: 30, unit: "binary" }),
  fc.string({ maxLength: 30 }),
  fc.constantFrom("1", "true", "10s", "https://example.com", "rate=1", "body", "x".repeat(5_000)),
);

test("any headers are either read or refused with a short 400", () => {
  const header = fc.tuple(fc.tuple(prefixes, suffixes), values);
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(header, { maxLength: 5 }), (headers) => {
      const raw = headers.flatMap(([[prefix, suffix], value]) => [prefix + suffix, value]);
      try {
        readPublishOptions(raw, [], { defaultDialect: "svc" });
        accepted++;
      } catch (error) {
        assert.ok(error instanceof Problem, String(error));
        assert.equal(error.status, 400);
        assert.ok(Buffer.byteLength(error.message) < 400, error.message);
      }
    }),
    { numRuns: 10_000 },
  );
  assert.ok(accepted > 500, `only ${accepted} were accepted`);
});

test("a refused value is named and never repeated", () => {
  const secret = "canary-secret";
  for (const row of HEADERS) {
    for (const value of [`${secret}:\u0007`, `${secret}\u0142`]) {
      const { message } = refusalOf([`Svc-${row.name}`, value], callOf(row));
      assert.ok(message.startsWith(`Svc-${row.name}: `) && !message.includes(secret), message);
    }
  }
});

test("a long name is cut short in the refusal", () => {
  const long = "x".repeat(10_000);
  for (const name of [`Svc-${long}`, `Svc-Forward-Svc-${long}`, `Svc-Forward-${long}`]) {
    assert.ok(refusalOf([name, "1"]).message.length < 200);
  }
});

test("reading takes processor time in proportion to the request", () => {
  const small = leastProcessorTime(requestOf(100));
  const large = leastProcessorTime(requestOf(1_600));
  assert.ok(large < small * 16 * 6, `${small} us for 100 headers, ${large} us for 1,600`);
});

function requestOf(headers: number): string[] {
  const value = "v ".repeat(50) + "v";
  return Array.from({ length: headers }, (_, index) => [`Svc-Forward-X-${index}`, value]).flat();
}

/** In microseconds, of ten reads. */
function leastProcessorTime(raw: readonly string[]): number {
  let least = Infinity;
  for (let run = 0; run < 10; run++) {
    const startedAt = process.cpuUsage();
    for (let read = 0; read < 10; read++) readPublishOptions(raw, [], { defaultDialect: "svc" });
    // Only their sum is measured; which of the two it was is guessed from samples.
    const { user, system } = process.cpuUsage(startedAt);
    least = Math.min(least, Math.max(user + system, 1));
  }
  return least;
}
