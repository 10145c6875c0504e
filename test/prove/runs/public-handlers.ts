import { AsyncLocalStorage } from "node:async_hooks";
import { Client, Receiver } from "@upstash/qstash";
import { WorkflowNonRetryableError } from "@upstash/workflow";
import { createWorkflow, serveMany } from "@upstash/workflow/cloudflare";
import type { RunPlan } from "./plan.ts";
import { type EndpointSettings, type Handlers, pickOne, type Witness } from "./witness.ts";
import { type ChildPayload, perform, performChild } from "./workflow.ts";

const final = (message: string): Error => new WorkflowNonRetryableError(message);

/** The same workflows as the public SDK serves them, unmodified: for each delivery it talks to one node. */
export function publicHandlers(
  settings: EndpointSettings,
  url: string,
  witness: Witness,
): Handlers {
  const delivery = new AsyncLocalStorage<string>();
  const child = createWorkflow<ChildPayload, number>((context) =>
    performChild(context, context.requestPayload, { final }),
  );
  const parent = createWorkflow<RunPlan, unknown[]>((context) =>
    perform(context, context.requestPayload, {
      outside: `${url}/outside`,
      final,
      invoke: (name, body) =>
        context.invoke(name, { workflow: child, body, retries: 30, retryDelay: "300" }),
      onWork: (name) => {
        const messageId = delivery.getStore() ?? "";
        witness.works.push({ runId: context.workflowRunId, name, messageId });
      },
    }),
  );
  const { token, nodeUrls, currentSigningKey, nextSigningKey } = settings;
  const perNode = nodeUrls.map((baseUrl) =>
    serveMany(
      { parent, child },
      {
        qstashClient: new Client({ baseUrl, token, retry: { retries: 2, backoff: () => 100 } }),
        receiver: new Receiver({ currentSigningKey, nextSigningKey }),
        failureFunction: ({ context }) => {
          witness.reports.push(context.workflowRunId);
        },
      },
    ),
  );
  const take = (request: Request, messageId: string): Promise<Response> =>
    delivery.run(messageId, () => pickOne(perNode).fetch(request, {}));
  return { "public/parent": take, "public/child": take };
}
