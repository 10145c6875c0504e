import { randomUUID } from "node:crypto";

import { call, TOKEN } from "../prove/service-process.ts";
import { steadyPort } from "../support/free-port.ts";
import { EndpointProcess, type Sdk } from "./endpoint-process.ts";
import { CHILD_ENTRIES, ENTRIES } from "./every-kind.ts";
import { logOf, travel } from "./journey.ts";
import { Outside } from "./outside.ts";
import { invokedRunId, requireWhole, requireWholeChild } from "./run-verdict.ts";
import {
  isStuck,
  requireEntries,
  requireNothingLeft,
  requireOneChild,
  type Select,
} from "./stored-rows.ts";

/** Where journeys take place: a service at an address, an endpoint of its own, and the world around both. */
export class Stage {
  readonly endpoint: EndpointProcess;
  readonly outside: Outside;
  /** How often the event of a race came first, and how often the deadline. */
  readonly races = { told: 0, "timed-out": 0 };
  /** Where the service is, while it is. */
  readonly service: string;
  readonly select: Select;

  private constructor(
    service: string,
    select: Select,
    endpoint: EndpointProcess,
    outside: Outside,
  ) {
    this.service = service;
    this.select = select;
    this.endpoint = endpoint;
    this.outside = outside;
  }

  /** The service must be up, for it is asked for its signing keys. */
  static async open(service: string, select: Select): Promise<Stage> {
    const outside = await Outside.start();
    const keys = await call(service, "GET", "/v2/keys");
    const endpoint = new EndpointProcess({
      port: await steadyPort(),
      service,
      token: TOKEN,
      signingKeys: (await keys.json()) as { current: string; next: string },
      outside: outside.url,
    });
    await endpoint.start();
    return new Stage(service, select, endpoint, outside);
  }

  /** One run from its trigger to its end, and all that must hold then. */
  async play(sdk: Sdk): Promise<void> {
    const runId = `wfr_${randomUUID()}`;
    const workflowUrl = this.endpoint.workflowUrl(sdk, "parent");
    const { service } = this;
    const journey = await travel({
      runId,
      sdk,
      workflowUrl,
      service,
      outside: this.outside,
      isStuck: () => isStuck(this.select),
    });
    this.races[requireWhole(journey)] += 1;
    const childId = invokedRunId(journey.run);
    requireWholeChild(await logOf(service, childId));
    await requireNothingLeft(this.select, [runId, childId]);
    await requireOneChild(this.select, runId);
    await requireEntries(this.select, runId, ENTRIES);
    await requireEntries(this.select, childId, CHILD_ENTRIES);
  }

  async close(): Promise<void> {
    await this.endpoint.stop();
    this.outside.stop();
  }
}
