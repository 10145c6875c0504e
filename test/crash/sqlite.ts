import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ServiceProcess } from "../prove/service-process.ts";
import { steadyPort } from "../support/free-port.ts";
import { type Sdk, SDKS } from "./endpoint-process.ts";
import { type Failpoint, FailpointFile, MOMENTS } from "./failpoint.ts";
import { at, type Deaths, deathsOn, walk, type Walked } from "./points.ts";
import { Stage } from "./stage.ts";
import { selectInSqlite } from "./stored-rows.ts";

const PRELOAD = [new URL("./sqlite-failpoint.ts", import.meta.url).href];
const STAGES = 2;
/** State changes after a start, in which it takes over what was under way. */
const RECOVERY_CHANGES = 5;

/** A service on SQLite that dies where it is told to and is then started again, and an endpoint that stays. */
export class SqliteStage {
  readonly stage: Stage;
  readonly #folder: string;
  readonly #service: ServiceProcess;
  readonly #failpoints: FailpointFile;
  /** The state changes of the last run that was played, if no process died in it. */
  met = 0;
  #coming: Failpoint[] = [];
  #isClosing = false;
  readonly #lived: Promise<void>;

  private constructor(folder: string, service: ServiceProcess, stage: Stage, file: FailpointFile) {
    this.stage = stage;
    this.#folder = folder;
    this.#service = service;
    this.#failpoints = file;
    this.#lived = this.#live();
  }

  static async open(): Promise<SqliteStage> {
    const folder = mkdtempSync(join(tmpdir(), "postrider-crash-"));
    const service = new ServiceProcess(await steadyPort(), ["--data", folder]);
    const failpoints = new FailpointFile(join(folder, "failpoint"));
    await service.start({ preload: PRELOAD, environment: failpoints.environment });
    const stage = await Stage.open(service.url, selectInSqlite(join(folder, "postrider.db")));
    return new SqliteStage(folder, service, stage, failpoints);
  }

  /** Plays a run in which the service dies at the first point, then at the next one after its start; and how often. */
  play(sdk: Sdk, ...failpoints: readonly Failpoint[]): Promise<number> {
    return this.die(failpoints, () => this.stage.play(sdk));
  }

  /** Lets the service die at these points while something is done, and says how often it did. */
  async die(failpoints: readonly Failpoint[], work: () => Promise<void>): Promise<number> {
    this.#coming = [...failpoints];
    this.#failpoints.tell(this.#coming[0] ?? null);
    await work();
    if (failpoints.length > 0) this.met = this.#failpoints.met;
    // A run can end while the one that has just made its last change still dies.
    if (this.met === this.#coming[0]?.at) await this.#service.dead();
    this.#failpoints.tell(null);
    return failpoints.length - this.#coming.length;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#service.kill("SIGKILL");
    await this.#lived;
    await this.stage.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #live(): Promise<void> {
    for (;;) {
      await this.#service.dead();
      if (this.#isClosing) return;
      this.#coming.shift();
      this.#failpoints.tell(this.#coming[0] ?? null);
      this.#service.launch({ preload: PRELOAD, environment: this.#failpoints.environment });
    }
  }
}

/**
 * Every state change of a run, with a death before and one after it; then again, with a second death while the service
 * recovers from the first.
 */
export async function crashOnSqlite(): Promise<Deaths> {
  const stages = await Promise.all(Array.from({ length: STAGES }, () => SqliteStage.open()));
  const walks: Walked[] = [];
  try {
    for (const sdk of SDKS) {
      for (const moment of MOMENTS) {
        walks.push(
          await walk(stages, (stage, change) =>
            at({ sdk, moment, change }, () => stage.play(sdk, { at: change, moment })),
          ),
        );
      }
      walks.push(
        await walk(stages, (stage, change) => {
          const again = 1 + (change % RECOVERY_CHANGES);
          return at({ sdk, change, again }, () =>
            stage.play(sdk, { at: change, moment: "after" }, { at: again, moment: "after" }),
          );
        }),
      );
    }
    return deathsOn(stages, walks);
  } finally {
    for (const stage of stages) await stage.close();
  }
}
