import assert from "node:assert/strict";
import { test } from "node:test";

import { readSimulation } from "./simulation.ts";

const read = (request: unknown): unknown => readSimulation(Buffer.from(JSON.stringify(request)));

test("a simulation is bounded: as much as may be is taken, one more is refused", () => {
  const requests: Record<string, (count: number) => unknown> = {
    "message.retries": (retries) => ({ message: { retries } }),
    "message.answers": (length) => ({
      message: { answers: Array.from({ length }, () => ({ status: 500 })) },
    }),
    "schedule.count": (count) => ({ schedule: { cron: "@daily", count } }),
    "line.takes": (length) => ({
      line: { messages: 1, takes: Array.from({ length }, () => "1s") },
    }),
  };
  for (const [field, request] of Object.entries(requests)) {
    assert.ok(read(request(100)), field);
    assert.throws(() => read(request(101)), new RegExp(`^Problem: ${field}: `));
  }
});

test("a list of a simulation has to hold something", () => {
  assert.throws(() => read({ message: { answers: [] } }), /^Problem: message.answers: /);
  assert.throws(() => read({ line: { messages: 1, takes: [] } }), /^Problem: line.takes: /);
});
