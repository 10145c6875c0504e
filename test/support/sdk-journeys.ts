/** Workflows written with our own SDK, over every store. */
import { before } from "node:test";
import {
  Client,
  type Context,
  Receiver,
  serve,
  type ServeOptions,
  type TriggerSettings,
} from "../../sdk/src/sdk.ts";
import type { HarnessOptions } from "./service-harness.ts";
import { type EndpointJourney, endpointJourneys } from "./workflow-journeys.ts";

export interface SdkJourney extends EndpointJourney {
  sdk: Client;
  /** Serves a workflow at a path, verifying signatures, and answers its URL. */
  serve<Payload>(
    path: string,
    workflow: (context: Context<Payload>) => Promise<unknown>,
    options?: ServeOptions<Payload>,
  ): string;
  /** Triggers a run of it, and resolves with the run's id once it has come to that phase. */
  run(
    url: string,
    phase: "success" | "failed" | "canceled",
    trigger?: TriggerSettings & { body?: unknown },
  ): Promise<string>;
}

export function sdkJourneys(
  title: string,
  options: HarnessOptions,
  define: (journey: SdkJourney) => void,
): void {
  endpointJourneys(title, options, (plain) => {
    const journey = plain as SdkJourney;
    before(() => {
      const { url: baseUrl, token, credentials } = journey.service;
      journey.sdk = new Client({ baseUrl, token });
      const receiver = new Receiver(credentials);
      journey.serve = (path, workflow, given) => {
        const own = { client: { baseUrl, token }, receiver, logger: false } as const;
        const handler = serve(workflow, { ...own, ...given });
        return journey.endpoint.serve(path, handler);
      };
      journey.run = async (url, phase, trigger = {}) => {
        const { workflowRunId } = await journey.sdk.workflow.trigger({ url, ...trigger });
        await journey.phase(workflowRunId, phase);
        return workflowRunId;
      };
    });
    define(journey);
  });
}
