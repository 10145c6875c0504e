import assert from "node:assert/strict";

/** The samples of a text in Prometheus' format, by name and labels as written. */
export type Samples = ReadonlyMap<string, number>;

const SAMPLE = /^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})? (-?[0-9.e+-]+)$/;

/** Reads a text strictly: each metric has its help, its type, and then its samples, once. */
export function readMetrics(text: string): Samples {
  assert.ok(text.endsWith("\n"));
  const samples = new Map<string, number>();
  const known = new Set<string>();
  let current = { name: "", type: "" };
  for (const line of text.trimEnd().split("\n")) {
    const [, kind, name, rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") {
      assert.ok(!known.has(name!), `${name} is there twice`);
      known.add(name!);
      current = { name: name!, type: "" };
    } else if (kind === "TYPE") {
      assert.equal(name, current.name);
      current = { name, type: rest! };
    } else addSample(samples, current, line);
  }
  return samples;
}

function addSample(
  samples: Map<string, number>,
  { name, type }: { name: string; type: string },
  line: string,
): void {
  const [, sampled, labels = "", value] = SAMPLE.exec(line) ?? [];
  assert.ok(sampled !== undefined, `not a sample: ${line}`);
  const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  assert.ok(
    suffixes.some((suffix) => sampled === name + suffix),
    `${line} is not of ${name}`,
  );
  assert.ok(type !== "counter" || name.endsWith("_total"), `${name} does not end in _total`);
  assert.ok(!samples.has(sampled + labels), `${line} is there twice`);
  samples.set(sampled + labels, Number(value));
}
