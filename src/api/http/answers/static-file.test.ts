import assert from "node:assert/strict";
import { test } from "node:test";

import { acceptsGzip } from "./static-file.ts";

const CASES: readonly [accepted: string | undefined, expected: boolean][] = [
  [undefined, false],
  ["", false],
  ["identity", false],
  ["br, x-gzip", false],
  ["gzip", true],
  ["GZIP", true],
  ["gzip, deflate, br", true],
  ["br;q=1.0, gzip;q=0.8, *;q=0.1", true],
  ["gzip;q=0", false],
  ["gzip; q=0.000", false],
  ["gzip;q=0.001", true],
];

for (const [accepted, expected] of CASES) {
  test(`Accept-Encoding: ${accepted} ${expected ? "takes" : "does not take"} gzip`, () => {
    assert.equal(acceptsGzip({ headers: { "accept-encoding": accepted } }), expected);
  });
}
