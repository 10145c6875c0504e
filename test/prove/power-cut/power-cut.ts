import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { steadyPort } from "../../support/free-port.ts";
import { TestService } from "../../support/service-harness.ts";
import { ServiceProcess } from "../service-process.ts";
import { RecordingSink } from "../sink.ts";
import { type Cut, CUTS, Disk, type DiskOptions } from "./disk.ts";
import { isDelivered, readMessages, writeImage } from "./read-image.ts";
import { type Recorded, recordService } from "./record-service.ts";

export interface PowerCutReport {
  readonly acknowledged: number;
  readonly steps: number;
  readonly firstStart: number;
  readonly points: number;
  readonly images: number;
  readonly started: number;
  /** Acknowledged messages that the controls lost, by the syncs they ignore. */
  readonly lostByControls: readonly number[];
}

/** Where there is a disk in memory, syncs take no time; whether they were asked for is recorded all the same. */
const MEMORY_DISK = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const LATER_POINTS = 300;
/** Of the later points, how many are started in each way. */
const STARTS_PER_CUT = 3;
const SEED = 20261116;

/** Cuts the power of a recorded service at every step of its first start, and at many of its later ones. */
export async function cutPower(): Promise<PowerCutReport> {
  const folder = mkdtempSync(join(MEMORY_DISK, "postrider-power-"));
  const sink = await RecordingSink.start();
  try {
    const recorded = await recordService(folder, sink);
    const bench = new CutBench(recorded, folder);
    const lostByControls = [
      bench.lost({ ignores: "all syncs" }),
      bench.lost({ ignores: "syncs of folders" }),
    ];
    const report = await bench.cutEverywhere();
    const { steps, acknowledged } = recorded;
    return { ...report, acknowledged: acknowledged.size, steps: steps.length, lostByControls };
  } finally {
    await sink.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What must hold of every such run. */
export function requireSurvived(report: PowerCutReport): void {
  assert.ok(report.points >= 300, "too few points");
  assert.ok(report.acknowledged >= 200, "the load published next to nothing");
  for (const lost of report.lostByControls) {
    assert.ok(lost > 0, "a disk that ignores syncs lost nothing: this proof sees nothing");
  }
}

class CutBench {
  readonly #recorded: Recorded;
  readonly #copy: string;
  readonly #data: string;
  readonly #firstStart: number;
  readonly #draw = randomNumbers(SEED);
  #images = 0;
  #started = 0;

  constructor(recorded: Recorded, folder: string) {
    this.#recorded = recorded;
    this.#copy = join(folder, "copy");
    this.#data = this.#copy + recorded.data.slice(recorded.root.length);
    this.#firstStart = recorded.steps.findIndex(({ kind }) => kind === "answer");
    const answered = recorded.steps.flatMap((step) =>
      step.kind === "answer" ? step.messageIds : [],
    );
    for (const messageId of recorded.acknowledged)
      assert.ok(answered.includes(messageId), messageId);
  }

  async cutEverywhere(): Promise<
    Pick<PowerCutReport, "points" | "images" | "started" | "firstStart">
  > {
    const { steps, root } = this.#recorded;
    const every = (steps.length - this.#firstStart) / LATER_POINTS;
    const later = Array.from(
      { length: LATER_POINTS },
      (_, index) => this.#firstStart + Math.floor((index + this.#draw()) * every),
    );
    const points = new Set([...later, steps.length - 1]);
    const startEvery = Math.floor(LATER_POINTS / STARTS_PER_CUT);
    const disk = new Disk(root);
    const acknowledged = new Set<string>();
    let [cutFirst, cutLater, syncsCut] = [0, 0, -1];
    let kept = new Set<string>();
    for (const [index, step] of steps.entries()) {
      disk.apply(step);
      if (step.kind === "answer") for (const id of step.messageIds) acknowledged.add(id);
      const isFirst = index < this.#firstStart;
      if (!isFirst && !points.has(index)) continue;
      if (isFirst) cutFirst += 1;
      else cutLater += 1;
      for (const cut of CUTS) {
        // Until the next sync, a cut that keeps nothing leaves the same.
        if (cut !== "nothing" || disk.syncs !== syncsCut) {
          const found = this.#cut(disk, cut, `${cut} kept after step ${index}`);
          if (cut === "nothing") [kept, syncsCut] = [found, disk.syncs];
          else requireAll(acknowledged, found, cut, index);
          if (cut === "nothing" && isFirst) await this.#startFirst(disk);
        }
        if (cut === "nothing") requireAll(acknowledged, kept, cut, index);
        if (!isFirst && (cutLater + CUTS.indexOf(cut)) % startEvery === 1) {
          await this.#startAndDeliver(disk, cut, acknowledged);
        }
      }
    }
    return {
      firstStart: cutFirst,
      points: cutFirst + cutLater,
      images: this.#images,
      started: this.#started,
    };
  }

  /** How many acknowledged messages are missing at the end, when only what was synced is kept. */
  lost(options: DiskOptions): number {
    const disk = new Disk(this.#recorded.root, options);
    for (const step of this.#recorded.steps) disk.apply(step);
    const found = this.#cut(disk, "nothing", "a control");
    return [...this.#recorded.acknowledged].filter((messageId) => !found.has(messageId)).length;
  }

  #cut(disk: Disk, cut: Cut, what: string): Set<string> {
    writeImage(disk.image(cut, this.#draw), this.#recorded.root, this.#copy);
    this.#images += 1;
    try {
      return readMessages(this.#data);
    } catch (error) {
      throw new Error(`${what}: ${String(error)}`, { cause: error });
    }
  }

  /** The worst case of the first start, in this process. */
  async #startFirst(disk: Disk): Promise<void> {
    writeImage(disk.image("nothing", this.#draw), this.#recorded.root, this.#copy);
    const service = await TestService.start({ folder: this.#data, mode: "serve" });
    await service.stop();
    this.#started += 1;
  }

  /** The service as an operator starts it: it delivers whatever was acknowledged. */
  async #startAndDeliver(disk: Disk, cut: Cut, acknowledged: ReadonlySet<string>): Promise<void> {
    writeImage(disk.image(cut, this.#draw), this.#recorded.root, this.#copy);
    const service = new ServiceProcess(await steadyPort(), ["--data", this.#data]);
    await service.start();
    const until = performance.now() + DELIVERED_MS_MAX;
    while (!isDelivered(this.#data, acknowledged)) {
      if (performance.now() > until) throw new Error(`not all was delivered:\n${service.output}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await service.kill("SIGKILL");
    this.#started += 1;
  }
}

function requireAll(
  acknowledged: ReadonlySet<string>,
  found: ReadonlySet<string>,
  cut: Cut,
  index: number,
): void {
  const lost = [...acknowledged].filter((messageId) => !found.has(messageId));
  assert.deepEqual(lost, [], `acknowledged messages are lost with ${cut} kept after step ${index}`);
}

/** The same numbers for the same seed, from 0 up to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const DELIVERED_MS_MAX = 60_000;
