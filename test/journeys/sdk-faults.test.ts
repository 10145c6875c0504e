/**
 * Random workflows on the service itself, with an endpoint that crashes before, between and after
 * what it tells the service. Each run ends as a plain evaluation says, with each step recorded once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { serve } from "../../sdk/src/sdk.ts";
import {
  evaluate,
  generator,
  interpret,
  program,
  type Program,
} from "../support/random-workflows.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

const WORKFLOWS = Number(process.env["SDK_FAULT_WORKFLOWS"] ?? 12);
const FAULT_RATE = 0.1;

sdkJourneys("an endpoint that crashes", {}, (journey) => {
  test(`${WORKFLOWS} random workflows end as they should`, async () => {
    const { service, endpoint, destination, sdk } = journey;
    const { url: baseUrl, token } = service;
    destination.respond = ({ url }) => ({ body: url.slice(1) });
    const programs = fc.sample(program, { numRuns: WORKFLOWS, seed: 20_261_115 });
    const runs = programs.map(async (part, index) => {
      const random = generator(index);
      const crash = (): void => {
        if (random() < FAULT_RATE) throw new TypeError("the endpoint crashed");
      };
      const unreliable: typeof fetch = async (...request) => {
        crash();
        const response = await fetch(...request);
        crash();
        return response;
      };
      const work = new Map<string, number>();
      const client = { baseUrl, token, fetch: unreliable, retry: false } as const;
      const handler = serve(
        async (context) => {
          await context.run("begin", () => 0);
          return interpret(context, brief(part), "$", { work, outside: destination.url });
        },
        { client, receiver: false, logger: false },
      );
      const url = endpoint.serve(`/faults-${index}`, async (request) => {
        const response = await handler(request);
        return random() < FAULT_RATE ? new Response("lost", { status: 502 }) : response;
      });
      const { workflowRunId } = await sdk.workflow.trigger({ url, retries: 100, retryDelay: "1" });
      await journey.phase(workflowRunId, "success");
      const done = new Set<string>();
      assert.equal(await journey.result(workflowRunId), evaluate(brief(part), "$", done));
      assert.deepEqual(new Set(work.keys()), done);
      const rows = await service.select(
        `SELECT body FROM run_entries WHERE run_id = '${workflowRunId}' AND step_key LIKE 'r:%'`,
      );
      const results = rows.map(({ body }) => stepName(body as Uint8Array));
      assert.equal(new Set(results).size, results.length, `recorded: ${results.join(", ")}`);
    });
    await Promise.all(runs);
  });
});

/** Steps of these programs all have names of their own. */
function stepName(body: Uint8Array): string {
  return (JSON.parse(Buffer.from(body).toString()) as { stepName: string }).stepName;
}

/** The same program with waits of no length, for time passes here as it does outside. */
function brief(part: Program): Program {
  if ("parts" in part) return { ...part, parts: part.parts.map(brief) };
  return part.kind === "sleep" || part.kind === "wait" ? { ...part, value: 0 } : part;
}
