import { createServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";

import { StepClock, STEP_NAMES } from "./step-clock.ts";

/** The same five steps with Restate's own SDK, whose URL is the first argument. */
interface RestateContext {
  request(): { readonly id: { toString(): string } };
  run<Value>(name: string, action: () => Value): Promise<Value>;
}
type RequestHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;
interface RestateSdk {
  service(definition: object): unknown;
  createEndpointHandler(options: { services: unknown[] }): RequestHandler;
}

const sdk = (await import(process.argv[2] ?? "")) as RestateSdk;
const clock = new StepClock();

async function run(context: RestateContext): Promise<string> {
  const runId = context.request().id.toString();
  for (const [index, name] of STEP_NAMES.entries()) {
    await context.run(name, () => {
      clock.step(runId);
      return index;
    });
  }
  clock.returned(runId);
  clock.answered(runId);
  return "done";
}

const services = [sdk.service({ name: "flow", handlers: { run } })];
const server = createServer(sdk.createEndpointHandler({ services }));
server.listen(0, "127.0.0.1", () => {
  void clock.report((server.address() as AddressInfo).port);
});
