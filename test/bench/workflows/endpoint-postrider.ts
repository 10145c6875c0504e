import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { serve } from "../../../sdk/src/adapters/express.ts";
import { StepClock, STEP_NAMES } from "./step-clock.ts";

/**
 * Five steps with `@postrider/sdk` on Node's own server; signatures are verified. With the argument
 * `plain` it takes no channel.
 */
const channel = process.argv[2] !== "plain";
const clock = new StepClock();

const handler = serve(
  async (context) => {
    const { workflowRunId: runId } = context;
    for (const [index, name] of STEP_NAMES.entries()) {
      await context.run(name, () => {
        clock.step(runId);
        return index;
      });
    }
    clock.returned(runId);
    return "done";
  },
  { channel },
);

const server = createServer((request, response) => {
  const runId = request.headers["svc-workflow-runid"];
  if (typeof runId === "string") response.on("finish", () => clock.answered(runId));
  else tellOfEveryWrite(response);
  void handler(request, response);
});

/** Answers of many runs go out in one response that stays open. */
function tellOfEveryWrite(response: ServerResponse): void {
  const write = response.write.bind(response);
  response.write = (chunk: unknown) => write(chunk, () => clock.answeredAll());
}

server.listen(0, "127.0.0.1", () => {
  void clock.report((server.address() as AddressInfo).port);
});
