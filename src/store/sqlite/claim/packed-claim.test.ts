import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { ClaimRequest, HostShare } from "../../store.ts";
import { ClaimPacker, ClaimUnpacker } from "./packed-claim.ts";

const REQUEST: ClaimRequest = {
  nodeId: "node",
  now: 0,
  aheadMs: 0,
  slots: 1,
  retrySlots: 1,
  bytesMax: 1_000,
  fullHosts: [],
};
const SHARES: readonly HostShare[] = [
  { others: 1, accounts: {} },
  { others: 2, accounts: { one: 1 } },
];

const host = fc.constantFrom("a.test", "b.test", "c.test", "__proto__");
const slots = fc.array(fc.tuple(host, fc.nat(2))).map((entries) => new Map(entries));
const shares = fc
  .array(fc.tuple(host, fc.constantFrom(...SHARES)))
  .map((entries) => new Map(entries));
const request = fc.record({ hostSlots: slots, hostShares: shares }, { requiredKeys: [] });

test("a claim arrives with all that is known of hosts, also after claims that failed", () => {
  const step = fc.record({ request, fails: fc.constantFrom("no", "before", "after") });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [packer, unpacker] = [new ClaimPacker(), new ClaimUnpacker()];
      for (const { request: hosts, fails } of steps) {
        const packed = structuredClone(packer.pack({ ...REQUEST, ...hosts }));
        if (fails !== "before") assert.deepEqual(unpacker.unpack(packed), { ...REQUEST, ...hosts });
        if (fails !== "no") packer.failed();
      }
    }),
  );
});

test("a claim tells only what has changed of hosts since the one before it", () => {
  const packer = new ClaimPacker();
  const known = Array.from({ length: 1_000 }, (_, index) => `${index}.test`);
  const hostSlots = new Map(known.map((name) => [name, 2]));
  const hostShares = new Map(known.map((name) => [name, SHARES[1]!]));
  packer.pack({ ...REQUEST, hostSlots, hostShares });
  const { slotNews, shareNews } = packer.pack({
    ...REQUEST,
    hostSlots: new Map(hostSlots).set("7.test", 1),
    hostShares: new Map([...hostShares].slice(1)).set("8.test", SHARES[0]!),
  });
  assert.deepEqual(slotNews, { isWhole: false, set: [["7.test", 1]], removed: [] });
  const set = [["8.test", SHARES[0]]];
  assert.deepEqual(shareNews, { isWhole: false, set, removed: ["0.test"] });
});
