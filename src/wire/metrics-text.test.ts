import assert from "node:assert/strict";
import { test } from "node:test";
import { metricsText } from "./metrics-text.ts";

test("a metric has its help, its type and a line for each sample", () => {
  const text = metricsText([
    { name: "a_total", help: "All of them.", type: "counter", samples: [{ value: 7 }] },
    {
      name: "b",
      help: "Now.",
      type: "gauge",
      samples: [
        { labels: { x: "1", y: "two" }, value: 0.5 },
        { labels: {}, value: 0 },
      ],
    },
  ]);
  assert.equal(
    text,
    '# HELP a_total All of them.\n# TYPE a_total counter\na_total 7\n# HELP b Now.\n# TYPE b gauge\nb{x="1",y="two"} 0.5\nb 0\n',
  );
});

test("a histogram counts all below each bound, and all of them without one", () => {
  const [bounds, counts] = [
    [0.1, 1],
    [2, 3, 4],
  ];
  const text = metricsText([
    { name: "h", help: "How long.", type: "histogram", bounds, counts, sum: 6.5 },
  ]);
  assert.deepEqual(text.split("\n").slice(2), [
    'h_bucket{le="0.1"} 2',
    'h_bucket{le="1"} 5',
    'h_bucket{le="+Inf"} 9',
    "h_sum 6.5",
    "h_count 9",
    "",
  ]);
});

test("labels are escaped", () => {
  const samples = [{ labels: { name: 'a\\b"c\nd"' }, value: 1 }];
  const text = metricsText([{ name: "m", help: "", type: "gauge", samples }]);
  assert.equal(text.split("\n")[2], String.raw`m{name="a\\b\"c\nd\""} 1`);
});
