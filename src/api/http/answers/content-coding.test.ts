import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedCoding, type ContentCoding } from "./content-coding.ts";

const BOTH = ["br", "gzip"] as const;
const GZIP = ["gzip"] as const;

const CASES: readonly [
  accepted: string | undefined,
  offered: readonly ContentCoding[],
  expected: ContentCoding | null,
][] = [
  [undefined, GZIP, null],
  ["", GZIP, null],
  ["identity", GZIP, null],
  ["br, x-gzip", GZIP, null],
  ["gzip", GZIP, "gzip"],
  ["GZIP", GZIP, "gzip"],
  ["gzip, deflate, br", GZIP, "gzip"],
  ["br;q=1.0, gzip;q=0.8, *;q=0.1", GZIP, "gzip"],
  ["gzip;q=0", GZIP, null],
  ["gzip; q=0.000", GZIP, null],
  ["gzip;q=0.001", GZIP, "gzip"],
  ["gzip;q=often", GZIP, null],
  ["gzip, deflate, br", BOTH, "br"],
  ["gzip, br;q=0.9", BOTH, "gzip"],
  ["br;q=0, gzip;q=0.1", BOTH, "gzip"],
  ["deflate, zstd", BOTH, null],
  [`${"x,".repeat(31)}gzip`, GZIP, "gzip"],
  [`${"x,".repeat(5_000)}gzip`, GZIP, null],
];

for (const [accepted, offered, expected] of CASES) {
  test(`Accept-Encoding: ${accepted?.slice(0, 100)} takes ${expected ?? "nothing"} of ${offered.join()}`, () => {
    assert.equal(acceptedCoding({ headers: { "accept-encoding": accepted } }, offered), expected);
  });
}
