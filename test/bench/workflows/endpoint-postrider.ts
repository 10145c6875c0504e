import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { serve } from "../../../sdk/src/adapters/express.ts";
import { StepClock, STEP_NAMES } from "./step-clock.ts";

/** Five steps with `@postrider/sdk` on Node's own server; signatures are verified. */
const clock = new StepClock();

const handler = serve(async (context) => {
  const { workflowRunId: runId } = context;
  for (const [index, name] of STEP_NAMES.entries()) {
    await context.run(name, () => {
      clock.step(runId);
      return index;
    });
  }
  clock.returned(runId);
  return "done";
});

const server = createServer((request, response) => {
  const runId = request.headers["svc-workflow-runid"];
  if (typeof runId === "string") response.on("finish", () => clock.answered(runId));
  void handler(request, response);
});

server.listen(0, "127.0.0.1", () => {
  void clock.report((server.address() as AddressInfo).port);
});
