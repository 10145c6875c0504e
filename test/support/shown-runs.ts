/** Runs of every kind, made with the SDK that users have, for screens to show. */
import { Client as QstashClient, Receiver } from "@upstash/qstash";
import { Client, serve } from "@upstash/workflow";
import { createWorkflow, serveMany } from "@upstash/workflow/cloudflare";
import type { DestinationServer } from "./destination-server.ts";
import { eventually } from "./eventually.ts";
import type { TestService } from "./service-harness.ts";
import { WorkflowEndpoint } from "./workflow-endpoint.ts";

/** Would run if it became markup. */
export const CANARY = "<img src=x onerror=document.title='taken'>";

export class ShownRuns {
  readonly endpoint: WorkflowEndpoint;
  readonly client: Client;
  readonly #service: TestService;
  readonly #options: { qstashClient: QstashClient; receiver: Receiver };
  readonly #destination: Pick<DestinationServer, "url">;
  /** Where the service finds the workflows. */
  origin: string;

  private constructor(
    service: TestService,
    destination: Pick<DestinationServer, "url">,
    endpoint: WorkflowEndpoint,
  ) {
    const { url, token, credentials } = service;
    const { currentSigningKey, nextSigningKey } = credentials;
    this.endpoint = endpoint;
    this.origin = endpoint.url;
    this.client = new Client({ baseUrl: url, token });
    this.#service = service;
    this.#destination = destination;
    this.#options = {
      qstashClient: new QstashClient({ baseUrl: url, token }),
      receiver: new Receiver({ currentSigningKey, nextSigningKey }),
    };
    this.#serveAll();
  }

  static async start(
    service: TestService,
    destination: Pick<DestinationServer, "url">,
  ): Promise<ShownRuns> {
    return new ShownRuns(service, destination, await WorkflowEndpoint.start());
  }

  async trigger(
    path: string,
    options: { readonly body?: unknown; readonly label?: string; readonly retries?: number } = {},
  ): Promise<string> {
    const { workflowRunId } = await this.client.trigger({
      url: `${this.origin}${path}`,
      retries: 0,
      retryDelay: "50",
      ...options,
    });
    return workflowRunId;
  }

  /** Resolves with the run once it is as wanted. */
  async until(runId: string, isWanted: (run: Run) => boolean): Promise<Run> {
    return eventually(async () => {
      const { json } = await this.#service.call(
        "GET",
        `/v2/workflows/events?groupBy=workflowRunId&workflowRunId=${runId}`,
      );
      const [run] = (json as { runs: Run[] }).runs;
      return run !== undefined && isWanted(run) ? run : null;
    }, `the run ${runId}`);
  }

  async ended(runId: string, state: string): Promise<Run> {
    return this.until(runId, ({ workflowState }) => workflowState === state);
  }

  close(): Promise<void> {
    return this.endpoint.close();
  }

  #serveAll(): void {
    const options = this.#options;
    const add = (path: string, routine: Parameters<typeof serve>[0]): void => {
      this.endpoint.serve(path, serve(routine, options).handler);
    };
    this.#serveOrders();
    add("/naps", async (context) => {
      await context.sleep("long nap", 3_600);
    });
    add("/waits", async (context) => {
      await context.run("before", () => "done");
      const { eventData } = await context.waitForEvent("wait for packing", "packed-1", {
        timeout: "2d",
      });
      return eventData;
    });
    add(`/many`, async (context) => {
      for (let index = 0; index < MANY; index++) await context.run(`step ${index}`, () => index);
    });
    add("/markup", async (context) => {
      await Promise.all([
        context.run(CANARY, () => CANARY),
        context.run(`${CANARY} 2`, () => {
          throw new Error(CANARY);
        }),
      ]);
    });
  }

  #serveOrders(): void {
    const ship = createWorkflow(async (context) => {
      await context.run("pack", () => 1);
      await context.run("label", () => 2);
      return "shipped";
    });
    const order = createWorkflow(
      async (context) => {
        const given = context.requestPayload as { fails?: boolean } | undefined;
        const loaded = await context.run("load order", () => ({ order: "A-10492", total: 84.9 }));
        await context.call("charge card", {
          url: `${this.#destination.url}/charge`,
          body: JSON.stringify(loaded),
          retries: 2,
          retryDelay: "200",
        });
        await Promise.all([
          context.run("check fraud", () => later(120, "fine")),
          context.run("reserve stock", () => later(260, 3)),
        ]);
        await context.sleep("cool off", 1);
        await context.invoke("ship order", { workflow: ship, body: loaded });
        await Promise.all([
          context.run("send mail", () => "sent"),
          context.run("book ledger", () => {
            if (given?.fails === true) throw new Error("Period 2026-09 is closed");
            return "booked";
          }),
        ]);
      },
      { failureFunction: () => "noted" },
    );
    const served = serveMany({ order, ship }, this.#options);
    const answer = (request: Request): Promise<Response> => served.fetch(request, {});
    this.endpoint.serve("/workflows/order", answer);
    this.endpoint.serve("/workflows/ship", answer);
  }
}

export interface Run {
  readonly workflowRunId: string;
  readonly workflowState: string;
  readonly dlqId?: string;
  readonly failureFunction?: { readonly state?: string };
  readonly steps: readonly {
    readonly type: string;
    readonly steps: readonly { readonly stepName?: string; readonly state: string }[];
  }[];
}

function later<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(value), ms);
  });
}

const MANY = 240;
