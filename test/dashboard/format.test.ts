/** Numbers, times and addresses as the dashboard writes them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytesText,
  counted,
  destinationOf,
  lastSegment,
  durationText,
  roughText,
  shareText,
  shortCount,
  shortId,
} from "../../dashboard/src/app/format.ts";

test("durations have a space before the unit, and two units at most", () => {
  const expected: [number, string][] = [
    [0, "0 ms"],
    [412, "412 ms"],
    [1_000, "1 s"],
    [29_100, "29.1 s"],
    [151_000, "2 min 31 s"],
    [120_000, "2 min"],
    [11_100_000, "3 h 5 min"],
    [3 * 86_400_000, "3 days"],
  ];
  assert.deepEqual(
    expected.map(([ms]) => durationText(ms)),
    expected.map(([, text]) => text),
  );
  assert.deepEqual([400, 61_000, 7_300_000].map(roughText), ["0 s", "1 min", "2 h"]);
});

test("counts, shares and bytes", () => {
  assert.deepEqual([7, 1_400, 66_000, 2_500_000].map(shortCount), ["7", "1.4k", "66k", "2.5M"]);
  assert.deepEqual(
    [counted(1, "message"), counted(1_284, "message")],
    ["1 message", "1,284 messages"],
  );
  assert.deepEqual(
    [shareText(78, 100), shareText(1, 24), shareText(0, 0)],
    ["78 %", "4.2 %", "0 %"],
  );
  assert.deepEqual([148, 2_048, 3_000_000].map(bytesText), ["148 bytes", "2.0 kB", "3.0 MB"]);
});

test("a long path keeps its first and last segments, and an id its end", () => {
  const url = "https://api.example/v1/parcels/01234567890123456789/events/abcdef/track";
  assert.deepEqual(destinationOf(url), { host: "api.example", path: "/v1/parcels/…/track" });
  assert.deepEqual(destinationOf("a-group"), { host: "a-group", path: "" });
  const halves: [path: string, head: string, tail: string][] = [
    ["/v1/parcels/…/track", "/v1/parcels/…", "/track"],
    ["/naps", "", "/naps"],
    ["/a/b/?next=/c/d", "/a", "/b/?next=/c/d"],
    ["", "", ""],
  ];
  assert.deepEqual(
    halves.map(([path]) => lastSegment(path)),
    halves.map(([, head, tail]) => ({ head, tail })),
  );
  assert.equal(shortId("msg_01M7KMN7HYAZYR3C7G9W9P4BF6"), "msg_01M7…P4BF6");
});
