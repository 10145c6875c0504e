import { simulate } from "../../../operations/simulation.ts";
import { moveClock, type VirtualClock } from "../../../operations/virtual-clock.ts";
import { CLOCK, LEAP, LEAP_BYTES_MAX, LEAP_REQUEST, readLeap } from "../../../wire/clock.ts";
import { list, object, text } from "../../../wire/json/schema.ts";
import { Problem } from "../../../core/problem.ts";
import {
  readSimulation,
  SIMULATION,
  SIMULATION_BYTES_MAX,
  SIMULATION_REQUEST,
} from "../../../wire/simulation.ts";
import { json } from "../answers/answer.ts";
import type { Api, Route } from "../server/call.ts";
import { admitSampleWorkflow } from "./sample-workflow.ts";

const SAMPLE_ANSWER = object(
  "SampleAnswer",
  {},
  { steps: list(text("A step, as JSON.")), result: text("What the run returns, as JSON.") },
);

/** The endpoints that only dev has. */
export const DEV_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/dev/clock",
    title: "Get the clock",
    needs: "read",
    handler: (api) => {
      const clock = clockOf(api);
      return json(200, { now: clock.now(), aheadMs: clock.aheadMs });
    },
    says: "Only in dev: shows the clock, and how far it was put forward. A restart forgets that.",
    answers: { 200: CLOCK },
  },
  {
    method: "POST",
    path: "/dev/clock",
    title: "Put the clock forward",
    needs: "write",
    handler: async (api, { accountId, body }) => {
      const request = readLeap(await body.read(LEAP_BYTES_MAX));
      return json(200, await moveClock(api.context, clockOf(api), accountId, request));
    },
    says: "Only in dev: puts the clock forward. Delays, retries, schedules, sleeps, waits, rates and retention follow it; what comes due on the way is done.",
    body: LEAP_REQUEST,
    answers: { 200: LEAP },
  },
  {
    method: "POST",
    path: "/dev/simulate",
    title: "Simulate",
    needs: "read",
    handler: async ({ context }, { body }) => {
      const request = readSimulation(await body.read(SIMULATION_BYTES_MAX));
      return json(200, simulate(request, context.clock.now()));
    },
    says: "Only in dev: tells by the rules of the server when each attempt of a `message` would begin, when a `schedule` would fire, or how a `line` (a queue or key) would drain. Give one of them. Stores nothing.",
    body: SIMULATION_REQUEST,
    answers: { 200: SIMULATION },
  },
  {
    method: "POST",
    path: "/dev/workflow/{id}",
    title: "Sample workflow",
    needs: "open",
    admit: admitSampleWorkflow,
    says: "Only in dev: a workflow to try, with a step that fails at first and a sleep. Start a run of its URL with `POST /v2/trigger/{workflowUrl}`.",
    body: "bytes",
    answers: { 200: SAMPLE_ANSWER },
  },
];

function clockOf({ virtualClock }: Api): VirtualClock {
  if (virtualClock !== null) return virtualClock;
  throw new Problem("not-found", "the clock moves in dev only");
}
