import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ServiceProcess } from "../prove/service-process.ts";
import { steadyPort } from "../support/free-port.ts";
import { type EndpointDeath, type Sdk, SDKS } from "./endpoint-process.ts";
import { at, type Deaths, deathsOn, walk, type Walked } from "./points.ts";
import { Stage } from "./stage.ts";
import { selectInSqlite } from "./stored-rows.ts";

const STAGES = 2;
const MOMENTS: readonly EndpointDeath["moment"][] = ["received", "submitted", "answered"];

/** A service that stays, and an endpoint that dies where it is told to and is then started again. */
export class EndpointStage {
  readonly stage: Stage;
  readonly #folder: string;
  readonly #service: ServiceProcess;
  /** The requests of the last run that was played, if no process died in it. */
  met = 0;
  #deaths = 0;
  #isClosing = false;
  #restarted: Promise<void> = Promise.resolve();
  readonly #lived: Promise<void>;

  private constructor(folder: string, service: ServiceProcess, stage: Stage) {
    this.stage = stage;
    this.#folder = folder;
    this.#service = service;
    this.#lived = this.#live();
  }

  static async open(): Promise<EndpointStage> {
    const folder = mkdtempSync(join(tmpdir(), "postrider-crash-"));
    const service = new ServiceProcess(await steadyPort(), ["--data", folder]);
    await service.start();
    const stage = await Stage.open(service.url, selectInSqlite(join(folder, "postrider.db")));
    return new EndpointStage(folder, service, stage);
  }

  /** Plays a run in which the endpoint dies at that request, and whether it did. */
  async play(sdk: Sdk, death: EndpointDeath): Promise<number> {
    const before = this.#deaths;
    while ((await this.stage.endpoint.tell(death)) === null) await this.#restarted;
    await this.stage.play(sdk);
    if (this.#deaths === before) this.met = (await this.stage.endpoint.tell(null)) ?? 0;
    return this.#deaths - before;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    // It may have died when the last run was over, and is then on its way back.
    await this.#restarted;
    await this.stage.close();
    await this.#lived;
    await this.#service.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #live(): Promise<void> {
    for (;;) {
      await this.stage.endpoint.dead();
      if (this.#isClosing) return;
      this.#deaths += 1;
      this.#restarted = this.stage.endpoint.start();
      await this.#restarted;
    }
  }
}

/** Every request of a run, with a death of the endpoint when it has received, submitted and answered it. */
export async function crashEndpoint(): Promise<Deaths> {
  const stages = await Promise.all(Array.from({ length: STAGES }, () => EndpointStage.open()));
  const walks: Walked[] = [];
  try {
    for (const sdk of SDKS) {
      for (const moment of MOMENTS) {
        walks.push(
          await walk(stages, (stage, request) =>
            at({ sdk, moment, request }, () => stage.play(sdk, { at: request, moment })),
          ),
        );
      }
    }
    return deathsOn(stages, walks);
  } finally {
    for (const stage of stages) await stage.close();
  }
}
