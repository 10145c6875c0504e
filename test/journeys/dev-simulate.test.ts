/** What would happen, by the rules: the same from the route of dev and from the command. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshFolder } from "../support/fresh-folder.ts";
import { call } from "../support/http-call.ts";
import { TestService } from "../support/service-harness.ts";
import { Terminal } from "../support/terminal.ts";

const PATH = "POST /dev/simulate";

test("the route simulates retries, schedules and lines, and refuses what is out of bounds", async (t) => {
  const service = await TestService.startFor(t);
  const retries = await service.post("/dev/simulate", {
    message: { retries: 2, retryDelay: "1000", from: 0 },
  });
  const attempts = retries["attempts"] as { earliestAt: number; result: string }[];
  assert.deepEqual(
    attempts.map(({ earliestAt, result }) => [earliestAt, result]),
    [
      [0, "retry"],
      [1_000, "retry"],
      [2_000, "dead"],
    ],
  );
  const schedule = await service.post("/dev/simulate", { schedule: { cron: "@daily", count: 2 } });
  assert.equal((schedule["times"] as unknown[]).length, 2);
  const line = await service.post("/dev/simulate", {
    line: { messages: 100, rate: 10, period: "1m", takes: ["200ms"] },
  });
  assert.equal((line["line"] as { drainedAfterMs: number }).drainedAfterMs, 9 * 60_000 + 200);
  const refused = (sent: unknown, says: RegExp): Promise<unknown> =>
    service.refused(PATH, 400, says, { body: JSON.stringify(sent) });
  await refused({}, /^body: must have one of message, schedule and line$/);
  await refused({ message: {}, schedule: { cron: "@daily" } }, /^body: must have one of/);
  await refused({ message: { retries: 101 } }, /^message.retries: must be at most 100$/);
  await refused({ message: { retryDelay: "1 +" } }, /^message.retryDelay: /);
  await refused({ message: { answers: [{ status: 600 }] } }, /^message.answers\[0\].status: /);
  await refused({ schedule: { cron: "* * * *" } }, /^schedule.cron: .*4 fields/);
  await refused({ schedule: { cron: "@daily", count: 101 } }, /^schedule.count: .*at most 100$/);
  await refused({ line: { messages: 10_001 } }, /^line.messages: must be at most 10000$/);
  await refused({ line: { messages: 1, takes: ["soon"] } }, /^line.takes\[0\]: is not a duration/);
  await refused({ line: { messages: 1, period: "0s" } }, /^line.period: must be at least 1s$/);
  const { readOnlyToken: token } = service.credentials;
  const body = JSON.stringify({ schedule: { cron: "@daily" } });
  assert.equal((await service.call("POST", "/dev/simulate", { token, body })).status, 200);
});

test("serve does not have it", async (t) => {
  const flags = { token: "a-token-of-our-own-for-this-test" };
  const service = await TestService.startFor(t, { mode: "serve", flags });
  const { token } = flags;
  assert.equal((await call(service.url, "POST", "/dev/simulate", { token })).status, 404);
});

test("the command needs no server", async (t) => {
  const terminal = new Terminal(freshFolder(t));
  const retries = ["simulate", "--retries", "1", "--retry-delay", "60000", "--from", "2026-01-01"];
  const shown = await terminal.says(...retries, "--answer", "429/120", "--answer", "200");
  assert.match(shown, /^ATTEMPT +AT +AFTER +BY CHANCE +ANSWER +THEN\n1 .* 429 +tried again\n2 /);
  assert.match(shown, /\+120 s|\+2 min/);
  assert.match(shown, /200 +delivered\n$/);
  const paris = ["simulate", "schedule", "30 2 * * *", "--zone", "Europe/Paris"];
  const ticks = await terminal.says(...paris, "--from", "2026-03-28", "--count", "3");
  assert.match(ticks, /\+01:00/);
  assert.match(ticks, /\+02:00 .*the clocks have changed/);
  const queue = ["simulate", "queue", "--messages", "10", "--parallelism", "2"];
  const drain = await terminal.json<{ line: { drainedAfterMs: number } }>(
    ...queue,
    "--takes",
    "500ms",
  );
  assert.equal(drain.line.drainedAfterMs, 2_500);
  const table = await terminal.says("simulate", "queue", "--messages", "10", "--rate", "5");
  assert.match(table, /^MESSAGE +SENT AFTER +ANSWERED AFTER\n1 +0 ms +1.0 s\n/);
  const refused = await terminal.run(["simulate", "queue", "--messages", "0"], 1);
  assert.match(refused.errors, /--messages: must be at least 1/);
  const wrong = await terminal.run(["simulate", "--answer", "bad"], 1);
  assert.match(wrong.errors, /--answer must be a status/);
});
