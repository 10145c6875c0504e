import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWithinLimits, wantedMembers } from "./json-members.ts";
import { JSON_LIMITS } from "./json-scan.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const WANTED = new Set(["stepId", "out", "invoked"] as const);
const wantedIn = (text: string) => wantedMembers(bytesOf(text), WANTED);

test("the wanted members are those that parsing the whole would give", () => {
  const record = {
    a: { out: "inner", b: ["]", "}"] },
    out: 'Grüße, "x" \\ {,',
    stepId: 3,
    invoked: { runId: "r" },
  };
  const expected = { out: record.out, stepId: 3, invoked: record.invoked };
  assert.deepEqual(wantedIn(JSON.stringify(record)), expected);
  assert.deepEqual(wantedIn(JSON.stringify(record, null, 2)), expected);
  assert.deepEqual(wantedIn('{"stepId":1,"stepId":2}'), { stepId: 2 });
  assert.deepEqual(wantedIn(String.raw`{"st\u0065pId":1}`), { stepId: 1 });
});

test("what is no object has none", () => {
  for (const text of ["", " ", "{}", "[]", '"stepId"', "{", '{"stepId"', "nonsense", '{"a":1']) {
    assert.deepEqual(wantedIn(text), {}, text);
  }
  for (const text of ['{xstepId":1}', '{"stepId";1}', '["stepId":1}', '{"a":1;"stepId":1}']) {
    assert.deepEqual(wantedIn(text), {}, text);
  }
});

test("a value with too much structure is not built", () => {
  const many = JSON.stringify(Array<number>(JSON_LIMITS.membersMax + 1).fill(1));
  assert.deepEqual(wantedIn(`{"out":${many},"other":${many},"stepId":7}`), {
    out: undefined,
    stepId: 7,
  });
  assert.equal(parseWithinLimits(bytesOf(many)), undefined);
  assert.deepEqual(parseWithinLimits(bytesOf("[1]")), [1]);
  assert.equal(parseWithinLimits(bytesOf("[1")), undefined);
});
