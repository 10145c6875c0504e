/** Workflows served by a real SDK, over every store. */
import { after, before } from "node:test";
import { Client as QstashClient, Receiver } from "@upstash/qstash";
import { Client, serve, type TriggerOptions } from "@upstash/workflow";
import { serveMany } from "@upstash/workflow/cloudflare";
import type { Item } from "./account-calls.ts";
import { eventually, until } from "./eventually.ts";
import { type Journey, journeys } from "./journeys.ts";
import type { HarnessOptions } from "./service-harness.ts";
import { WorkflowEndpoint } from "./workflow-endpoint.ts";

/** A service, and an endpoint that it can deliver runs to. */
export interface EndpointJourney extends Journey {
  endpoint: WorkflowEndpoint;
  client: Client;
  /** What an SDK needs to serve workflows: its way to us, and our keys. */
  serveOptions: { qstashClient: QstashClient; receiver: Receiver };
  /** Resolves once the run is in that phase. */
  phase(runId: string, phase: RunPhase): Promise<void>;
  /** What the function of a run returned. */
  result(runId: string): Promise<unknown>;
  /** How many things the run has accepted: its payload, plans and results. */
  entries(runId: string): Promise<number>;
  /** Those that wait for an event, once they are so many. */
  waiters(eventId: string, count: number): Promise<Item[]>;
}

/** The same with the public SDK, at the endpoint and as the client. */
export interface WorkflowJourney extends EndpointJourney {
  /** Serves a workflow at a path, and answers its URL. */
  serve<Payload = unknown>(
    path: string,
    workflow: Parameters<typeof serve<Payload>>[0],
    options?: Parameters<typeof serve<Payload>>[1],
  ): string;
  /** Serves workflows that invoke each other below a path, and answers the URL of the first. */
  serveMany(path: string, workflows: Parameters<typeof serveMany>[0]): string;
  /** Triggers a run of it, and resolves with the run's id once it has come to that phase. */
  run(url: string, phase: RunPhase, trigger?: Omit<TriggerOptions, "url">): Promise<string>;
}

export type RunPhase = "started" | "success" | "failed" | "canceled";

export function workflowJourneys(
  title: string,
  options: HarnessOptions,
  define: (journey: WorkflowJourney) => void,
): void {
  endpointJourneys(title, options, (plain) => {
    const journey = plain as WorkflowJourney;
    before(() => {
      const { endpoint, client, serveOptions } = journey;
      journey.serve = (path, workflow, more) =>
        endpoint.serve(path, serve(workflow, { ...serveOptions, ...more }).handler);
      journey.serveMany = (path, workflows) => {
        const { fetch: answer } = serveMany(workflows, serveOptions);
        const urls = Object.keys(workflows).map((name) =>
          endpoint.serve(`${path}/${name}`, (request) => answer(request, {})),
        );
        return urls[0]!;
      };
      journey.run = async (url, phase, trigger) => {
        const { workflowRunId } = await client.trigger({ url, ...trigger });
        await journey.phase(workflowRunId, phase);
        return workflowRunId;
      };
    });
    define(journey);
  });
}

export function endpointJourneys(
  title: string,
  options: HarnessOptions,
  define: (journey: EndpointJourney) => void,
): void {
  journeys(title, options, (plain) => {
    const journey = plain as EndpointJourney;
    before(async () => {
      const { url, token, credentials } = journey.service;
      const { currentSigningKey, nextSigningKey } = credentials;
      journey.endpoint = await WorkflowEndpoint.start();
      journey.client = new Client({ baseUrl: url, token });
      journey.serveOptions = {
        qstashClient: new QstashClient({ baseUrl: url, token }),
        receiver: new Receiver({ currentSigningKey, nextSigningKey }),
      };
      journey.phase = (runId, phase) => phaseOf(journey, runId, phase);
      journey.result = (runId) => resultOf(journey, runId);
      journey.entries = (runId) => entriesOf(journey, runId);
      journey.waiters = (eventId, count) => waitersFor(journey, eventId, count);
    });
    after(async () => {
      await journey.endpoint?.close();
    });
    define(journey);
  });
}

async function phaseOf({ service, endpoint }: EndpointJourney, runId: string, phase: RunPhase) {
  const wanted = PHASES.indexOf(phase);
  try {
    await until(async () => {
      const rows = await service.select(
        `SELECT phase FROM runs WHERE run_id = '${runId}' ORDER BY created_at DESC LIMIT 1`,
      );
      return Number(rows[0]?.["phase"]) === wanted;
    }, `${runId} ${phase}`);
  } catch (error) {
    const answers = endpoint.answers.map(({ path, status, text }) => `${path} ${status} ${text}`);
    throw new Error([String(error), ...answers, ...service.logged].join("\n"), { cause: error });
  }
}

async function resultOf({ service }: Journey, runId: string): Promise<unknown> {
  const [row] = await service.select(`SELECT response FROM run_facts WHERE run_id = '${runId}'`);
  return JSON.parse(Buffer.from(row?.["response"] as Uint8Array).toString());
}

async function entriesOf({ service }: Journey, runId: string): Promise<number> {
  const rows = await service.select(`SELECT 1 AS one FROM run_entries WHERE run_id = '${runId}'`);
  return rows.length;
}

function waitersFor({ service }: Journey, eventId: string, count: number): Promise<Item[]> {
  return eventually(async () => {
    const found = await service.all(`/v2/waiters/${encodeURIComponent(eventId)}`);
    return found.length === count ? found : null;
  }, `${count} waiters for ${eventId}`);
}

const PHASES: readonly RunPhase[] = ["started", "success", "failed", "canceled"];
