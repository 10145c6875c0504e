import assert from "node:assert/strict";
import { test } from "node:test";
import { aNewMessage } from "../../../../test/support/messages.ts";
import type { GrantedLease } from "../../../core/model/message/message.ts";
import { FACTS_BYTES_MAX, FactsReadAhead } from "./facts-read-ahead.ts";

const MB = 1024 * 1024;
const LARGE = new Uint8Array(FACTS_BYTES_MAX + 1).fill(7);

function leaseOf(messageId: string): GrantedLease {
  return { accountId: "account", messageId, fence: 1, host: "h", attempts: 0 };
}

function idsIn({ found, unknown }: ReturnType<FactsReadAhead["take"]>) {
  return {
    found: found.map(({ lease }) => lease.messageId),
    unknown: unknown.map(({ messageId }) => messageId),
  };
}

test("a large message that was written here is not read, and is given once", () => {
  const facts = new FactsReadAhead();
  const body = new Uint8Array(LARGE);
  facts.addWritten([aNewMessage({ messageId: "large", body, url: "https://a.test/" })]);
  const { found, unknown } = facts.take([leaseOf("other"), leaseOf("large")]);
  assert.deepEqual(
    unknown.map(({ messageId }) => messageId),
    ["other"],
  );
  assert.equal(found[0]!.body, body);
  assert.equal(found[0]!.message.url, "https://a.test/");
  assert.deepEqual(found[0]!.lease, { accountId: "account", messageId: "large", fence: 1 });
  assert.deepEqual(idsIn(facts.take([leaseOf("large")])), { found: [], unknown: ["large"] });
});

test("a message of another account is not given, whatever its id", () => {
  const facts = new FactsReadAhead();
  facts.addWritten([aNewMessage({ messageId: "m", body: LARGE })]);
  const taken = facts.take([{ ...leaseOf("m"), accountId: "stranger" }]);
  assert.deepEqual(idsIn(taken), { found: [], unknown: ["m"] });
});

test("what is small, due later, leased already or a step of a run is not kept", () => {
  const facts = new FactsReadAhead();
  const run = { runId: "r", createdAt: 1 };
  facts.addWritten([
    aNewMessage({ messageId: "small", body: LARGE.subarray(1) }),
    aNewMessage({ messageId: "late", body: LARGE, createdAt: 1_000, notBefore: 6_000 }),
    aNewMessage({ messageId: "leased", body: LARGE, leasedBy: "node" }),
  ]);
  const step = aNewMessage({ messageId: "step", body: LARGE });
  facts.addWritten([{ ...step, state: { ...step.state, run } }]);
  const ids = ["small", "late", "leased", "step"];
  assert.deepEqual(idsIn(facts.take(ids.map(leaseOf))), { found: [], unknown: ids });
});

test("16 MB are kept at most; the oldest go first", () => {
  const facts = new FactsReadAhead();
  const add = (messageId: string, size: number): void =>
    facts.addWritten([aNewMessage({ messageId, body: new Uint8Array(size) })]);
  for (const id of ["a", "b", "c", "d", "e"]) add(id, 4 * MB);
  add("too large", 16 * MB + 1);
  const all = ["a", "b", "too large", "e"].map(leaseOf);
  assert.deepEqual(idsIn(facts.take(all)), { found: ["b", "e"], unknown: ["a", "too large"] });
  add("f", 8 * MB);
  const rest = ["c", "d", "f"].map(leaseOf);
  assert.deepEqual(idsIn(facts.take(rest)), { found: ["c", "d", "f"], unknown: [] });
});
