import assert from "node:assert/strict";
import { test } from "node:test";
import { namesRun, readBatch, readBatchItem } from "./batch.ts";

const read = (text: string): readonly unknown[] => [...readBatch(Buffer.from(text))];
const item = (text: string, bodyBytesMax = 100) => readBatchItem(JSON.parse(text), bodyBytesMax);

test("an item is read like a request", () => {
  const message = item(
    '{"destination":"https://a.test/?x=1&svc-delay=3s","headers":{"svc-retries":"3","X":["1","2"]},"body":"é","queue":"q"}',
  );
  assert.equal(message.destination, "https://a.test/?x=1");
  assert.deepEqual(message.aliases, [["svc-delay", "3s"]]);
  assert.deepEqual(message.rawHeaders, ["svc-retries", "3", "X", "1", "X", "2"]);
  assert.deepEqual(Buffer.from(message.body).toString(), "é");
  assert.equal(message.queueName, "q");
});

test("what is null, or an empty queue, is not there", () => {
  for (const text of [
    '{"destination":"g"}',
    '{"destination":"g","headers":null,"body":null,"queue":null}',
    '{"destination":"g","body":"","queue":""}',
  ]) {
    const { rawHeaders, body, queueName } = item(text);
    assert.deepEqual([rawHeaders, body.byteLength, queueName], [[], 0, undefined]);
  }
});

test("an item that is wrong is refused by the name of its member", () => {
  const cases: readonly [string, RegExp][] = [
    ["{}", /destination: must be a string/],
    ['{"destination":1}', /destination: must be a string/],
    ['{"destination":""}', /non-empty destination/],
    ['{"destination":"g","headers":[]}', /headers: must be an object/],
    ['{"destination":"g","headers":{"svc-retries":3}}', /headers: svc-retries must be a string/],
    ['{"destination":"g","headers":{"svc-label":["a",null]}}', /headers: svc-label/],
    ['{"destination":"g","body":{}}', /body: must be a string/],
    ['{"destination":"g","queue":1}', /queue: must be/],
    ['{"destination":"g","queue":"a b"}', /queue: must be/],
    ['{"destination":"g","queueName":"q"}', /queueName is not a known member/],
    ['{"destination":"g","__proto__":{"queue":"q"}}', /__proto__ is not a known member/],
  ];
  for (const [text, says] of cases) {
    assert.throws(() => item(text), { kind: "invalid-request", message: says }, text);
  }
  const large = `{"destination":"g","body":"${"é".repeat(51)}"}`;
  assert.throws(() => item(large), { kind: "body-too-large" });
  const headers = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`x-${index}`, ""]));
  const many = JSON.stringify({ destination: "g", headers });
  assert.throws(() => item(many), { kind: "headers-too-large" });
});

test("a document that is no array of objects is refused as a whole", () => {
  for (const [text, says] of [
    ["", /not a JSON array/],
    ["{}", /not a JSON array/],
    ["null", /not a JSON array/],
    ["[", /not a JSON array/],
    ["[1]", /body\[0\]: must be an object/],
    ["[{},[]]", /body\[1\]: must be an object/],
    ['[{"destination":"g"}', /not a JSON array/],
    ["[{}]]", /not a JSON array/],
    ["[{}],", /not a JSON array/],
    ["[{}] {}", /not a JSON array/],
    ["[,{}]", /not JSON/],
    ["[{},]", /not JSON/],
    ["[{}{}]", /not JSON/],
    ["[{]}", /not a JSON array/],
    ['[{"a":"]', /not a JSON array/],
    [`[${"[".repeat(70)}${"]".repeat(70)}]`, /nested/],
    [`[${Array.from({ length: 1_001 }, () => "{}").join(",")}]`, /more than 1000/],
  ] as const) {
    assert.throws(() => read(text), { message: says }, text.slice(0, 40));
  }
  assert.deepEqual(read("[]"), []);
  assert.deepEqual(read(" [ ] \n"), []);
});

test("elements are told apart by brackets and commas outside of strings alone", () => {
  const items: object[] = [
    { destination: "a,b]}", body: '"' },
    { destination: "\\", body: '\\"[{' },
    { destination: "é日", headers: { a: ["1", "2"], b: [] } },
    { body: '\\\\",' },
  ];
  for (let length = 55; length < 75; length++) {
    const fill = "x".repeat(length);
    items.push({ body: `${fill}"` }, { body: `${fill}\\` }, { body: `${fill}\\"]${fill}` });
  }
  assert.deepEqual(read(JSON.stringify(items)), items);
  assert.deepEqual(read(JSON.stringify(items, null, 2)), items);
});

test("an item is for a run when one of its headers names it, however malformed it is", () => {
  for (const name of ["Svc-Workflow-RunId", "upstash-workflow-runid"]) {
    assert.equal(namesRun({ headers: { X: "1", [name]: 7 } }), true, name);
  }
  for (const other of [null, 7, [], {}, { headers: null }, { headers: ["Svc-Workflow-RunId"] }]) {
    assert.equal(namesRun(other), false, JSON.stringify(other));
  }
  assert.equal(
    namesRun({ headers: { "Svc-Workflow-RunIds": "1", "X-Workflow-RunId": "1" } }),
    false,
  );
});
