import { AsyncLocalStorage } from "node:async_hooks";
import { NonRetryableError, Receiver, serve } from "../../../sdk/src/sdk.ts";
import type { RunPlan } from "./plan.ts";
import { type EndpointSettings, type Handlers, pickOne, type Witness } from "./witness.ts";
import { type ChildPayload, perform, performChild } from "./workflow.ts";

const final = (message: string): Error => new NonRetryableError(message);

/** The workflows as our own SDK serves them. Each request to the service goes to any of its nodes. */
export function ownHandlers(settings: EndpointSettings, url: string, witness: Witness): Handlers {
  const { token, nodeUrls } = settings;
  const anyNode = (input: string, init?: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(input);
    return fetch(`${pickOne(nodeUrls)}${pathname}${search}`, init);
  };
  const options = {
    client: { baseUrl: nodeUrls[0], token, fetch: anyNode as typeof fetch },
    receiver: new Receiver(settings),
    logger: false as const,
    onFailure: ({ runId }: { readonly runId: string }) => witness.reports.push(runId),
  };
  const delivery = new AsyncLocalStorage<string>();
  const parent = serve<RunPlan>(
    (context) =>
      perform(context, context.payload, {
        outside: `${url}/outside`,
        final,
        invoke: (name, body) =>
          context.invoke(name, { url: `${url}/own/child`, body, retries: 30, retryDelay: "300" }),
        onWork: (name) => {
          const messageId = delivery.getStore() ?? "";
          witness.works.push({ runId: context.runId, name, messageId });
        },
      }),
    options,
  );
  const child = serve<ChildPayload>(
    (context) => performChild(context, context.payload, { final }),
    options,
  );
  return {
    "own/parent": (request, messageId) => delivery.run(messageId, () => parent(request)),
    "own/child": (request) => child(request),
  };
}
