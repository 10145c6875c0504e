import { type Context, type Handler, serve, type ServeOptions } from "../../sdk/src/sdk.ts";
import type { StubOptions, StubRun } from "./stub-run.ts";
import { WorkflowStub } from "./workflow-stub.ts";

export const WORKFLOW_URL = "https://app.example/api/order";

export interface PlayOptions<Payload> extends Partial<StubOptions> {
  readonly payload?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly serve?: ServeOptions<Payload>;
  /** Called after the run was started and before anything was delivered. */
  readonly begin?: (stub: WorkflowStub, run: StubRun) => void;
}

export interface Played {
  readonly stub: WorkflowStub;
  readonly run: StubRun;
  /** Statuses of the deliveries in their order. */
  readonly statuses: number[];
  readonly state: string;
  readonly result: unknown;
  /** Those that have a result, as type and name. */
  readonly steps: string[];
}

/** Runs a function of a workflow to its end, on the stub of the service. */
export async function play<Payload>(
  workflow: (context: Context<Payload>, stub: WorkflowStub) => Promise<unknown>,
  options: PlayOptions<Payload> = {},
): Promise<Played> {
  const stub: WorkflowStub = new WorkflowStub({
    ...options,
    endpoints: { [WORKFLOW_URL]: (request) => handler(request), ...options.endpoints },
  });
  const handler = serveOn(
    stub,
    (context: Context<Payload>) => workflow(context, stub),
    options.serve,
  );
  const run = stub.trigger(WORKFLOW_URL, options.payload, options.headers);
  options.begin?.(stub, run);
  await stub.drain();
  return {
    stub,
    run,
    statuses: stub.deliveries.map(({ status }) => status),
    state: run.state,
    result: run.result ? (JSON.parse(run.result) as unknown) : undefined,
    steps: run.results.map(({ stepType, stepName }) => `${stepType} ${stepName}`),
  };
}

/** An endpoint that reaches nothing but the stub. */
export function serveOn<Payload>(
  stub: { readonly fetch: typeof fetch },
  workflow: (context: Context<Payload>) => Promise<unknown>,
  options?: ServeOptions<Payload>,
): Handler {
  return serve<Payload>(workflow, { client: clientOf(stub), logger: false, ...options });
}

export function clientOf({ fetch }: { readonly fetch: typeof globalThis.fetch }): {
  baseUrl: string;
  token: string;
  fetch: typeof globalThis.fetch;
  retry: false;
} {
  return { baseUrl: "http://service", token: TOKEN, fetch, retry: false };
}

const TOKEN = btoa(JSON.stringify({ UserID: "me", Password: "secret" }));
