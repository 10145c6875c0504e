import assert from "node:assert/strict";
import { test } from "node:test";

import type { Answer } from "../../core/model/message/attempt.ts";
import { Problem } from "../../core/problem.ts";
import { readReply } from "./reply.ts";

const STEP = JSON.stringify({ stepId: 1, stepName: "one", stepType: "Run", out: "1" });

function answer(text: string, name = "Svc-Workflow-Reply", value = "1"): Answer {
  const body = new TextEncoder().encode(text);
  return { kind: "answer", status: 200, headers: [[name, value]], body };
}

test("an answer is a reply when it says so with either prefix", () => {
  const said = JSON.stringify({ steps: [STEP] });
  const reply = readReply(answer(said, "svc-workflow-REPLY"));
  assert.deepEqual(reply, {
    kind: "steps",
    steps: [{ kind: "result", stepKey: "r:1", body: new TextEncoder().encode(STEP) }],
  });
  assert.equal(readReply(answer(said, "Content-Type")), null);
  assert.equal(readReply(answer(said, "Svc-Workflow-Reply", "2")), null);
  assert.notEqual(readReply(answer(said, "Upstash-Workflow-Reply")), null);
});

test("a reply may end its run, with what was returned or with nothing", () => {
  for (const result of ['{"a":"ü"}', ""]) {
    const response = new TextEncoder().encode(result);
    const reply = readReply(answer(JSON.stringify({ result })));
    assert.deepEqual(reply, { kind: "end", response });
  }
});

test("what is cut off or is not understood is refused, and never taken in part", () => {
  const whole = JSON.stringify({ steps: [STEP] });
  const faulty = [
    whole.slice(0, -3),
    "",
    "[]",
    "{}",
    '{"steps":[]}',
    '{"steps":{}}',
    `{"steps":[${STEP}]}`,
    '{"steps":["{}"]}',
    '{"result":1}',
    `{"steps":[${JSON.stringify(STEP)}],"result":"x"}`,
    `{"steps":[${JSON.stringify(STEP)}],"more":1}`,
    JSON.stringify({ result: "x".repeat(300_000) }),
  ];
  for (const text of faulty) {
    assert.throws(() => readReply(answer(text)), Problem, text.slice(0, 80));
  }
});
