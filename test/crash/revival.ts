import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

import { type Sdk, SDKS } from "./endpoint-process.ts";
import { type Failpoint, MOMENTS } from "./failpoint.ts";
import { ask, LOOK_EVERY_MS, PATIENCE_MS, prefixed } from "./journey.ts";
import { MENDED_ENTRIES, MENDED_RESULT } from "./mended.ts";
import { at, type Deaths, deathsOn, walk, type Walked } from "./points.ts";
import type { LoggedRun } from "./run-verdict.ts";
import { SqliteStage } from "./sqlite.ts";
import type { Stage } from "./stage.ts";
import { requireEntries, requireNothingLeft } from "./stored-rows.ts";

const STAGES = 2;

/** How a run that has failed is taken up again. */
export type Way = "resume" | "restart";
export const WAYS: readonly Way[] = ["resume", "restart"];

/** A run that fails, and the one that takes its place. */
export class Revival {
  readonly #stage: Stage;
  readonly #sdk: Sdk;
  readonly #key = `key-${randomUUID()}`;
  readonly #giveUpAt = performance.now() + PATIENCE_MS;

  constructor(stage: Stage, sdk: Sdk) {
    this.#stage = stage;
    this.#sdk = sdk;
  }

  /** Starts a run, and resolves with its dead letter once it has failed and its failure function was called. */
  async fail(): Promise<string> {
    const { service, endpoint } = this.#stage;
    const headers = prefixed(this.#sdk, {
      Retries: "0",
      Label: this.#key,
      "Workflow-RunId": `wfr_${this.#key}`,
    });
    const url = `${service}/v2/trigger/${endpoint.workflowUrl(this.#sdk, "mended")}`;
    const body = JSON.stringify({ key: this.#key });
    await this.#until(async () => (await ask(url, { headers, body }))?.ok ?? false);
    let dlqId = "";
    await this.#until(async () => {
      const [run, ...others] = await this.#runs();
      assert.equal(others.length, 0);
      dlqId = run?.dlqId ?? "";
      return run?.failureFunction?.state === "CALLBACK_SUCCESS";
    });
    return dlqId;
  }

  /** Takes it up again, as often as it needs to get an answer, and resolves once the new run has ended. */
  async revive(dlqId: string, way: Way): Promise<void> {
    const { service, outside } = this.#stage;
    outside.mended.add(this.#key);
    let status: number | undefined;
    await this.#until(async () => {
      status = (await ask(`${service}/v2/workflows/dlq/${way}/${dlqId}`, {}))?.status;
      return status === 200 || status === 404;
    });
    // Gone means that it was taken up, and that the answer was lost.
    if (status === 404) assert.equal((await this.#runs()).length, 2, "no run is in its place");
    await this.#until(async () => {
      await ask(`${service}/v2/notify/told-${this.#key}`, { body: '{"told":true}' });
      const [run] = await this.#runs();
      return run?.workflowState === "RUN_SUCCESS";
    });
    await this.#requireWhole();
  }

  async #requireWhole(): Promise<void> {
    const [run, failed, ...others] = await this.#runs();
    assert.equal(others.length, 0, "it was taken up twice");
    assert.equal(failed?.workflowState, "RUN_FAILED");
    assert.deepEqual(JSON.parse(run?.workflowRunResponse ?? "null"), MENDED_RESULT);
    const { select } = this.#stage;
    await requireNothingLeft(select, [run!.workflowRunId, failed.workflowRunId]);
    await requireEntries(select, run!.workflowRunId, MENDED_ENTRIES);
  }

  /** The latest first. */
  async #runs(): Promise<readonly LoggedRun[]> {
    const query = `groupBy=workflowRunId&label=${this.#key}`;
    const answer = await ask(`${this.#stage.service}/v2/workflows/events?${query}`, {
      method: "GET",
    });
    if (answer?.ok !== true) return [];
    return ((await answer.json()) as { runs: LoggedRun[] }).runs;
  }

  async #until(happened: () => Promise<boolean>): Promise<void> {
    while (!(await happened())) {
      if (performance.now() > this.#giveUpAt)
        throw new Error(`stuck: ${JSON.stringify(await this.#runs(), null, 1)}`);
      await wait(LOOK_EVERY_MS);
    }
  }
}

/** A run that dies while it fails, or while it is taken up again; and how often the service died in it. */
export async function playRevival(
  { sdk, way, part }: { readonly sdk: Sdk; readonly way: Way; readonly part: Part },
  stage: SqliteStage,
  failpoint: Failpoint,
): Promise<number> {
  const revival = new Revival(stage.stage, sdk);
  let dlqId = "";
  const failing = await stage.die(part === "failing" ? [failpoint] : [], async () => {
    dlqId = await revival.fail();
  });
  const reviving = await stage.die(part === "reviving" ? [failpoint] : [], () =>
    revival.revive(dlqId, way),
  );
  return failing + reviving;
}

/** Every state change of a run that fails, and of its resumption and its restart, with a death before and after it. */
export async function crashRevivals(): Promise<Deaths> {
  const stages = await Promise.all(Array.from({ length: STAGES }, () => SqliteStage.open()));
  const walks: Walked[] = [];
  try {
    for (const sdk of SDKS) {
      for (const moment of MOMENTS) {
        for (const what of PARTS) {
          walks.push(
            await walk(stages, (stage, change) =>
              at({ sdk, moment, ...what, change }, () =>
                playRevival({ sdk, ...what }, stage, { at: change, moment }),
              ),
            ),
          );
        }
      }
    }
    return deathsOn(stages, walks);
  } finally {
    for (const stage of stages) await stage.close();
  }
}

type Part = "failing" | "reviving";
const PARTS = [
  { part: "failing", way: "resume" },
  { part: "reviving", way: "resume" },
  { part: "reviving", way: "restart" },
] as const;
