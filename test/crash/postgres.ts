import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { nodesOn, type ServiceProcess } from "../prove/service-process.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { Balancer } from "./balancer.ts";
import { type Sdk, SDKS } from "./endpoint-process.ts";
import { type Failpoint, FailpointFile } from "./failpoint.ts";
import { at, type Deaths, deathsOn, walk, type Walked } from "./points.ts";
import { Stage } from "./stage.ts";
import { selectInPostgres } from "./stored-rows.ts";

const HASTY = new URL("./hasty-clock.ts", import.meta.url).href;
const FAILPOINT = new URL("./postgres-failpoint.ts", import.meta.url).href;
const DATABASES = ["one", "two", "three", "four"];
const WAYS_TO_DIE = [
  ["before", "asleep"],
  ["after", "asleep"],
  ["after", "awake"],
] as const;

/** Two nodes on one database behind one address. One of them dies where it is told to, and is not started again. */
export class PostgresStage {
  readonly stage: Stage;
  readonly #folder: string;
  readonly #mortal: ServiceProcess;
  readonly #survivor: ServiceProcess;
  readonly #balancer: Balancer;
  readonly #failpoints: FailpointFile;
  /** The state changes of the one that may die in the last run that was played, if it lived. */
  met = 0;
  #woken: Promise<void> = Promise.resolve();

  private constructor(
    folder: string,
    [mortal, survivor]: readonly [ServiceProcess, ServiceProcess],
    balancer: Balancer,
    stage: Stage,
  ) {
    this.stage = stage;
    this.#folder = folder;
    this.#mortal = mortal;
    this.#survivor = survivor;
    this.#balancer = balancer;
    this.#failpoints = new FailpointFile(join(folder, "failpoint"));
  }

  static async open(databaseUrl: string): Promise<PostgresStage> {
    const folder = mkdtempSync(join(tmpdir(), "postrider-crash-"));
    const [mortal, survivor] = (await nodesOn(databaseUrl, 2)) as [ServiceProcess, ServiceProcess];
    await survivor.start({ preload: [HASTY], isOnSource: true });
    // The one that may die is preferred, so that nearly every change is its own.
    const balancer = await Balancer.start([mortal.port, survivor.port]);
    const stage = await Stage.open(balancer.url, selectInPostgres(databaseUrl));
    return new PostgresStage(folder, [mortal, survivor], balancer, stage);
  }

  /**
   * Plays a run in which one node dies at that point, and the other one goes on alone; and whether it died. While the
   * other one sleeps, every change is made by the one that dies; while it is awake, they share the run.
   */
  async play(sdk: Sdk, failpoint: Failpoint, other: "asleep" | "awake"): Promise<number> {
    const { environment } = this.#failpoints;
    if (!this.#mortal.isAlive) {
      await this.#mortal.start({ preload: [HASTY, FAILPOINT], isOnSource: true, environment });
      this.#woken = this.#mortal.dead().then(() => this.#survivor.wake());
    }
    this.#balancer.shake();
    if (other === "asleep") this.#survivor.sleep();
    this.#failpoints.tell(failpoint);
    try {
      await this.stage.play(sdk);
      this.met = this.#failpoints.met;
      // The run can end while the one that has just made its last change still dies.
      if (this.met === failpoint.at) await this.#mortal.dead();
    } finally {
      this.#failpoints.tell(null);
      this.#survivor.wake();
    }
    if (this.#mortal.isAlive) return 0;
    await this.#woken;
    return 1;
  }

  async close(): Promise<void> {
    await this.#mortal.kill("SIGKILL");
    await this.#survivor.kill("SIGKILL");
    this.#balancer.stop();
    await this.stage.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Every state change of one of two nodes in a run, with its death before and after it. */
export async function crashOnPostgres(): Promise<Deaths> {
  const server = await startPostgres({ durable: true });
  const stages: PostgresStage[] = [];
  const walks: Walked[] = [];
  try {
    for (const name of DATABASES)
      stages.push(await PostgresStage.open(await databaseOn(server, name)));
    for (const sdk of SDKS) {
      for (const [moment, other] of WAYS_TO_DIE) {
        walks.push(
          await walk(stages, (stage, change) =>
            at({ sdk, moment, other, change }, () =>
              stage.play(sdk, { at: change, moment }, other),
            ),
          ),
        );
      }
    }
    return deathsOn(stages, walks);
  } finally {
    for (const stage of stages) await stage.close();
    await server.stop();
  }
}

async function databaseOn(server: { readonly url: string }, name: string): Promise<string> {
  await selectInPostgres(server.url)(`CREATE DATABASE ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}
