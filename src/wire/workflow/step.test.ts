import assert from "node:assert/strict";
import { test } from "node:test";
import { readSubmittedStep } from "./step.ts";

const hookIdOf = (fields: object): string | undefined =>
  readSubmittedStep(
    new TextEncoder().encode(
      JSON.stringify({ stepId: 1, stepName: "make", stepType: "CreateWebhook", ...fields }),
    ),
  ).hookId;

test("a step that has created a webhook names its event", () => {
  const out = JSON.stringify({ webhookUrl: "https://x.test/y", eventId: "evt_1" });
  assert.equal(hookIdOf({ out }), "evt_1");
  assert.equal(hookIdOf({ out, stepType: "Run" }), undefined);
  assert.equal(hookIdOf({ out, stepId: 0, targetStep: 1 }), undefined);
});

test("a step that names no event creates no webhook", () => {
  const outs = [undefined, null, 1, {}, "", "no json", "null", "{}", "[]", '{"eventId":1}'];
  for (const out of [...outs, '{"eventId":""}', '{"eventId":"a\\u0000b"}']) {
    assert.equal(hookIdOf({ out }), undefined, JSON.stringify(out));
  }
});
