import assert from "node:assert/strict";
import * as fc from "fast-check";
import { test } from "node:test";
import { type Act, bodyBytesOf, mapParts } from "../../../core/rules/registry.ts";
import type { SettleAct } from "../../../core/rules/message/settlement.ts";
import type { PublishItem } from "../../../core/rules/message/immediate-lease.ts";
import type { NewMessage } from "../../../core/change.ts";
import { UNLIMITED } from "../../../core/model/line/line.ts";
import type { AttemptRecord } from "../../../core/model/message/attempt.ts";
import type { MessageState } from "../../../core/model/message/message.ts";
import { packActs, unpackActs } from "./pack.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });
const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });
const bytes = fc.uint8Array({ maxLength: 30 });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const orNothing = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

// A field that one of these types gains must be drawn here, even one that may be absent: what is not
// packed would be lost on the way to the writer.
const state: fc.Arbitrary<Required<MessageState>> = fc.record({
  accountId: text,
  messageId: text,
  phase: fc.constantFrom("waiting" as const, "active" as const),
  attempts: fc.nat(),
  readyAt: instant,
  line: text,
  lineAfter: orNull(text),
  host: text,
  bytes: fc.nat(),
  fence: fc.nat(),
  nodeId: orNull(text),
  leasedAt: orNull(instant),
  losses: fc.nat(),
  cancelRequested: fc.boolean(),
  rootId: orNull(text),
  queue: orNull(text),
  run: orNull(fc.record({ runId: text, createdAt: instant })),
});

const used = fc.record({
  accountId: text,
  line: text,
  limits: fc.constant(UNLIMITED),
});

const message: fc.Arbitrary<Required<NewMessage>> = fc.record({
  state,
  facts: text,
  body: bytes,
  createdAt: instant,
  sourceId: orNothing(text),
  uses: orNothing(fc.array(used, { maxLength: 2 })),
});

const item: fc.Arbitrary<Required<PublishItem>> = fc.record({
  message,
  deduplication: orNull(fc.record({ key: text, expiresAt: instant })),
  nodeId: orNothing(text),
});

const publish = fc.record({
  rule: fc.constant("publish" as const),
  at: instant,
  items: fc.array(item, { maxLength: 4 }),
});

const verdict = fc.oneof(
  fc.record({ kind: fc.constant("delivered" as const), idleReason: orNothing(text) }),
  fc.record({ kind: fc.constant("retry" as const), readyAt: instant }),
  fc.record({ kind: fc.constant("dead" as const), reason: orNothing(text) }),
);

const attempt: fc.Arbitrary<Required<AttemptRecord>> = fc.record({
  accountId: text,
  messageId: text,
  number: fc.nat(),
  startedAt: instant,
  endedAt: instant,
  status: fc.nat({ max: 599 }),
  error: orNothing(text),
  headers: text,
  body: bytes,
  nodeId: orNothing(text),
});

const settle: fc.Arbitrary<Omit<Required<SettleAct>, "source"> & { source: unknown }> = fc
  .record({
    rule: fc.constant("settle" as const),
    at: instant,
    lease: fc.record({ accountId: text, messageId: text, fence: fc.nat() }),
    attempt,
    verdict,
    source: orNull(
      fc.record({ message: fc.record({ url: text }), body: bytes, responseBody: bytes }),
    ),
    next: orNothing(
      fc.record({
        queue: text,
        nodeId: text,
        leasedAt: instant,
        host: text,
        bytesMax: fc.nat(),
      }),
    ),
  })
  .chain((act) => {
    const { accountId, messageId } = act.lease;
    const ofLease = { ...act, attempt: { ...act.attempt, accountId, messageId } };
    return fc.constantFrom(act, ofLease);
  });

const cancel = fc.record({
  rule: fc.constant("cancel" as const),
  at: instant,
  keys: fc.array(fc.record({ accountId: text, messageId: text }), { maxLength: 3 }),
});

test("acts come out of a packed group as they went in", () => {
  const acts = fc.array(fc.oneof(publish, settle, cancel), { maxLength: 6 });
  fc.assert(
    fc.property(acts, (group) => {
      const packed = packActs(group as unknown as Act[]);
      assert.deepEqual(defined(unpackActs(structuredClone(packed))), defined(group));
    }),
  );
});

test("the bytes of an act are those of its bodies", () => {
  fc.assert(
    fc.property(fc.oneof(publish, settle), (drawn) => {
      const act = drawn as unknown as Act;
      let bodyBytes = 0;
      const body = (part: Uint8Array): Uint8Array => {
        bodyBytes += part.byteLength;
        return part;
      };
      mapParts(act, { body, facts: (facts) => facts });
      assert.equal(bodyBytesOf(act), bodyBytes);
    }),
  );
});

/** Without fields that are undefined, which are the same as fields that are absent. */
function defined(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, defined(field)]));
}
