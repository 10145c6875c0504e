/** Whatever is accepted at publish can be sent, and arrives as it was. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { forwardProblem } from "../../src/core/policy/headers/header-safety.ts";
import { answered, deliveryTo, send, startCourier } from "./sending.ts";
import { startRecorder } from "./server.ts";

const TOKEN = "!#$%&'*+-.^_`|~0123456789abcxyzABCXYZ";
const COMMON = ["accept", "Cookie", "Set-Cookie", "Authorization", "Content-Type", "__proto__"]
  .concat(["constructor", "toString", "Svc-Label", "Upstash-Workflow-RunId", "x", "Via", "Date"])
  .concat(["Connection", "Keep-Alive", "Expect", "Upgrade", "TE", "Host", "Svc-Signature"]);

const name = fc.oneof(
  fc.string({ unit: fc.constantFrom(...TOKEN.split("")), minLength: 1, maxLength: 30 }),
  fc.constantFrom(...COMMON),
  fc.string({ maxLength: 10 }),
);
const value = fc.oneof(
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
  }),
  fc.string({ unit: fc.constantFrom("a", " ", "\t", "é", "\x80", '"', ",", ";", ":") }),
  fc.string({ unit: "binary", maxLength: 5 }),
);

test("any header set accepted at publish is accepted at send and arrives intact", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t);
  let sent = 0;
  let refused = 0;
  const headerSets = fc.array(fc.tuple(name, value), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(headerSets, async (candidates) => {
      const headers = candidates.filter((header) => forwardProblem(...header) === null);
      sent += headers.length;
      refused += candidates.length - headers.length;
      answered(await send(courier, deliveryTo(server.url, { headers })));
      const arrived = server.received.pop()!.rawHeaders;
      const userAgent = headers.some(([known]) => known.toLowerCase() === "user-agent") ? 0 : 1;
      const flat = headers.flat();
      // After host and connection come the publisher's, in their order.
      assert.deepEqual(arrived.slice(4, 4 + flat.length), flat);
      assert.equal(arrived.length, 4 + flat.length + 2 * userAgent + 12 + 2);
    }),
    { numRuns: 500 },
  );
  assert.ok(sent > 500 && refused > 100, `${sent} sent, ${refused} refused`);
});
