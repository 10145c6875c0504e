import type { AddressInfo } from "node:net";

import { serve } from "@upstash/workflow/express";
import express from "express";

import { StepClock, STEP_NAMES } from "./step-clock.ts";

/** The same five steps with `@upstash/workflow` as it is, on Express, as its documentation shows. */
const clock = new StepClock();
const application = express();
application.use(express.json());
application.use((request, response, next) => {
  const runId = request.header("upstash-workflow-runid") ?? "";
  response.on("finish", () => clock.answered(runId));
  next();
});
application.post(
  "/flow",
  serve(async (context) => {
    const { workflowRunId: runId } = context;
    for (const [index, name] of STEP_NAMES.entries()) {
      await context.run(name, () => {
        clock.step(runId);
        return index;
      });
    }
    clock.returned(runId);
    return "done";
  }),
);

const server = application.listen(0, "127.0.0.1", () => {
  void clock.report((server.address() as AddressInfo).port);
});
