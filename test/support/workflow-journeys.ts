/** Workflows served by a real SDK, over every store. */
import { after, before } from "node:test";
import { Client as QstashClient, Receiver } from "@upstash/qstash";
import { Client } from "@upstash/workflow";
import { type Journey, journeys } from "./journeys.ts";
import { eventually, type HarnessOptions } from "./service-harness.ts";
import { WorkflowEndpoint } from "./workflow-endpoint.ts";

export interface WorkflowJourney extends Journey {
  endpoint: WorkflowEndpoint;
  client: Client;
  /** What an SDK needs to serve workflows: its way to us, and our keys. */
  serveOptions: { qstashClient: QstashClient; receiver: Receiver };
  /** Resolves once the run is in that phase: 0 started, 1 success, 2 failed, 3 cancelled. */
  phase(runId: string, phase: RunPhase): Promise<void>;
}

export type RunPhase = "started" | "success" | "failed" | "cancelled";

export function workflowJourneys(
  title: string,
  options: HarnessOptions,
  define: (journey: WorkflowJourney) => void,
): void {
  journeys(title, options, (plain) => {
    const journey = plain as WorkflowJourney;
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
    });
    after(async () => {
      await journey.endpoint?.close();
    });
    define(journey);
  });
}

async function phaseOf({ service, endpoint }: WorkflowJourney, runId: string, phase: RunPhase) {
  const wanted = PHASES.indexOf(phase);
  try {
    await eventually(async () => {
      const rows = await service.select(
        `SELECT phase FROM runs WHERE run_id = '${runId}' ORDER BY created_at DESC LIMIT 1`,
      );
      return Number(rows[0]?.["phase"]) === wanted ? true : null;
    }, `${runId} ${phase}`);
  } catch (error) {
    const answers = endpoint.answers.map(({ path, status, text }) => `${path} ${status} ${text}`);
    throw new Error([String(error), ...answers, ...service.logged].join("\n"), { cause: error });
  }
}

const PHASES: readonly RunPhase[] = ["started", "success", "failed", "cancelled"];
