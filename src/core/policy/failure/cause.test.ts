import assert from "node:assert/strict";
import { test } from "node:test";

import { encodeAnswerHeaders } from "../../model/message/attempt.ts";
import { answerError } from "./answer-error.ts";
import { CAUSE_CHARACTERS_MAX, causeOf, masked } from "./cause.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function cause(
  body: string,
  more: { type?: string; error?: string; status?: number } = {},
): string {
  const headers = more.type === undefined ? [] : [["Content-Type", more.type] as const];
  return causeOf({
    status: more.status ?? 500,
    error: more.error,
    headers: encodeAnswerHeaders(headers, false),
    body: bytes(body),
  });
}

const SAME: readonly (readonly [one: string, other: string])[] = [
  ["order 17 not found", "order 4711 not found"],
  ["timed out after 3012ms", "timed out after 29ms"],
  ["connect ECONNREFUSED 10.0.0.1:80", "connect ECONNREFUSED 192.168.7.12:8443"],
  ["connect ECONNREFUSED ::1:80", "connect ECONNREFUSED fe80::12:8443"],
  [
    "user 5f0c2a9e-3d5b-4a53-9f0e-0d2f3d0c1a11 is gone",
    "user AAAAAAAA-1111-2222-3333-BBBBBBBBBBBB is gone",
  ],
  ["message msg_01JGFJJZ00ABCDEFGHJKMNPQRS", "message msg_01JGFJJZ99ZZZZZZHJKMNPQRST"],
  ["customer cus_9s6XKzkNRxI8", "customer cus_4Qa"],
  ["run wfr_order-12 is over", "run wfr_order-13 is over"],
  ["no blob 9e107d9d372bb6826bd81d3542a419d6", "no blob e4d909c290d0fb1ca068ffaddf22cbd0"],
  ["lock held since 2026-11-17T10:00:00.123Z", "lock held since 2026-11-18"],
  ["segfault at 0x7ffe01", "segfault at 0x1"],
  ["no such user ada@example.com", "no such user bob.b+x@mail.example.org"],
  ["ticket ABC1234567 is closed", "ticket XY7654321 is closed"],
  ["is 95% full", "is 7% full"],
  ["first\n   second", "first second"],
  ["token 0123456789abcdefGHIJ", "token zyxw9876543210zyxwvu"],
];
for (const [one, other] of SAME) {
  test(`one kind: ${JSON.stringify(one)}`, () => assert.equal(masked(one), masked(other)));
}

const OTHER: readonly (readonly [one: string, other: string])[] = [
  [
    "Cannot read properties of undefined (reading 'name')",
    "Cannot read properties of undefined (reading 'price')",
  ],
  ["E11000 duplicate key", "E11001 duplicate key"],
  ["prisma P2002", "prisma P2025"],
  ["ER_1062", "ER_1045"],
  ["sha256 does not match", "sha512 does not match"],
  ["card declined", "card expired"],
  ["no such table: deadbeef", "no such table: feedface"],
];
for (const [one, other] of OTHER) {
  test(`two kinds: ${JSON.stringify(one)}`, () => assert.notEqual(masked(one), masked(other)));
}

test("what is masked can be read", () => {
  assert.equal(
    masked("customer cus_9s6XKz: order 17 of 2026-11-17 timed out after 3012ms"),
    "customer cus_<id>: order <n> of <n> timed out after <n>ms",
  );
  assert.equal(masked("user 5f0c2a9e-3d5b-4a53-9f0e-0d2f3d0c1a11 is gone"), "user <id> is gone");
});

test("a cause is bounded, has no unseen characters, and stays the same when masked again", () => {
  const long = masked("\u{1f600}".repeat(CAUSE_CHARACTERS_MAX));
  assert.ok(long.length <= CAUSE_CHARACTERS_MAX);
  assert.ok(long.isWellFormed());
  assert.ok(masked("x".repeat(99) + "\u{1f600}".repeat(200)).isWellFormed());
  assert.equal(masked("a\u0000b\u202ec\td"), "a b c d");
  assert.equal(masked("\ud800 alone").isWellFormed(), true);
  for (const [one] of [...SAME, ...OTHER]) assert.equal(masked(masked(one)), masked(one));
  assert.equal(masked(`${"a.".repeat(900)}@`).length <= CAUSE_CHARACTERS_MAX, true);
});

test("the cause is the error of the attempt, else what was answered, else the status", () => {
  assert.equal(
    cause("", { error: "connection refused after 3 tries", status: 0 }),
    "connection refused after <n> tries",
  );
  assert.equal(cause('{"error":"TypeError","message":"x of 7"}'), "TypeError: x of <n>");
  assert.equal(cause("late by 3 s\nmore", { type: "text/plain; charset=utf-8" }), "late by <n> s");
  assert.equal(cause("<html><h1>502</h1>", { type: "text/html", status: 502 }), "status 502");
  assert.equal(cause("", { status: 503 }), "status 503");
  assert.equal(cause('{"message":""}', { status: 422 }), "status 422");
  assert.equal(cause('{"message":"\\u0000"}', { status: 422 }), "status 422");
});

const SHAPES: readonly (readonly [body: string, name: string | undefined, message: string])[] = [
  ['{"error":"TypeError","message":"m","stack":"s"}', "TypeError", "m"],
  ['{"name":"TypeError","message":"m"}', "TypeError", "m"],
  ['{"error":{"name":"Declined","message":"m","code":3}}', "Declined", "m"],
  [' {"error":"only this"}', undefined, "only this"],
  ['{"error":" ","name":"TypeError","message":"m"}', "TypeError", "m"],
  ['{"error":"E","name":"N","message":"m"}', "E", "m"],
  ['{"error":"E","message":"\\t \\n"}', undefined, "E"],
  ['{"error":"","detail":"none is left"}', undefined, "none is left"],
  ['{"error":["a"],"message":"m"}', undefined, "m"],
  ['{"error":null,"message":"m"}', undefined, "m"],
  ['{"detail":" ","title":"Out of stock"}', undefined, "Out of stock"],
  [`{"message":"first","message":"second","stack":"${"s".repeat(20_000)}"}`, undefined, "first"],
  ['{"title":"Out of stock","detail":"none is left"}', undefined, "none is left"],
  [`{"error":"E","message":"m \\"q\\"","stack":"${"s".repeat(100_000)}"}`, "E", 'm "q"'],
];
for (const [body, name, message] of SHAPES) {
  test(`the error in ${body.slice(0, 60)}`, () => {
    const found = answerError(bytes(body));
    assert.deepEqual([found?.name, found?.message], [name, message]);
  });
}

const bodyOf = (length: number) => {
  const [head, tail] = ['{"stack":"', '","error":{},"message":"m"}'];
  return bytes(`${head}${"s".repeat(length - head.length - tail.length)}${tail}`);
};

test("up to 16 KiB are parsed as a whole, of more only the beginning is read", () => {
  // Only a whole object shows that the message stands beside an error without one.
  assert.equal(answerError(bodyOf(16 * 1024)), null);
  assert.equal(answerError(bodyOf(16 * 1024 + 1))?.message, "m");
});

test("a name stands before the message, also in a cause of plain text that comes second", () => {
  assert.equal(cause('{"message":"m"}', { type: "text/plain" }), "m");
  assert.equal(cause("  padded \nmore", { type: "text/plain" }), "padded");
  assert.equal(cause("plain", { type: "text/plainer" }), "status 500");
  assert.equal(
    cause(`${"é".repeat(999)}xy${"z".repeat(3_000)}`, { type: "text/plain" }).length,
    200,
  );
});

const NO_ERROR = ["", "text", "[1]", '"text"', '{"message":3}', '{"a":1', "null", "{}"].concat(
  '[{"message":"m"}]',
  'text {"message":"m"}',
  '{"error":{},"message":"m"}',
  '{"error":" ","message":"\\n"}',
  `[{"message":"m","stack":"${"s".repeat(20_000)}"}]`,
);
for (const body of NO_ERROR) {
  test(`no error in ${JSON.stringify(body.slice(0, 60))}`, () =>
    assert.equal(answerError(bytes(body)), null));
}
