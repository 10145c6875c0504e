import { answerTo, type StubCall } from "./stub-api.ts";
import { StubService } from "./stub-service.ts";

/**
 * Plays the service's part in the protocol of workflows, in memory and with a clock that jumps, so
 * that an SDK can be tested alone: thousands of runs, in any order, with faults wherever one wants.
 */
export class WorkflowStub extends StubService {
  readonly calls: StubCall[] = [];

  /** What the SDK is given in place of the real one. A fault strikes before or after the effect. */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (this.faultStrikes()) throw new TypeError("the connection was refused");
    const { pathname, search } = new URL(request.url);
    const call = {
      method: request.method,
      path: `${pathname}${search}`,
      headers: request.headers,
      body: await request.text(),
    };
    this.calls.push(call);
    const answer = answerTo(this, call);
    if (this.faultStrikes()) throw new TypeError("the connection broke before the answer");
    const body = answer.body === undefined ? "" : JSON.stringify(answer.body);
    return new Response(body, { status: answer.status });
  };
}
