/** As kept-plans.test.ts, for the rows of runs. */
import assert from "node:assert/strict";

import type { RunKey } from "../../../src/core/model/workflow/run.ts";
import { aMessage } from "../../support/messages.ts";
import { anEnd, anItem, aNotify, aStart, aWait, refOf } from "../../support/runs.ts";
import type { Scene } from "../scene.ts";
import { goesByKeys } from "./plan-costs.ts";

const CROWD = 1_500;
const TOGETHER = 100;
const FIRST_PAGE = { after: null, count: 1, order: "latestFirst" } as const;

goesByKeys("runs", "made for tables that were emptied when they were counted", {
  day: anyDay,
  crowd,
});

/** A little of everything that goes by keys. */
async function anyDay(scene: Scene, name: string): Promise<void> {
  const key = await start(scene, name);
  await scene.deliver(await scene.claimOne());
  await waitAndTell(scene, key);
  const { reader } = scene.store;
  assert.equal((await reader.runs.get(refOf(name)))?.state.phase, "started");
  assert.ok((await reader.runs.entries(key)).length > 3);
  await endWithChild(scene, key);
  await fail(scene, `${name}-dead`);
  await drop(scene, `${name}-dropped`);
  await scene.store.sweep({ now: scene.now, countsBefore: 0, keysBefore: 0, pageMax: 5 });
  await scene.sweepAccount({ endedBefore: scene.now, pageMax: 5 });
}

async function start(scene: Scene, runId: string): Promise<RunKey> {
  const createdAt = scene.now;
  await scene.act(aStart({ runId, createdAt }));
  return { accountId: "account", runId, createdAt };
}

async function waitAndTell(scene: Scene, key: RunKey): Promise<void> {
  const { runId } = key;
  const ref = refOf(runId);
  await scene.act({ rule: "append", at: scene.now, ref, items: [anItem(`${runId}-1`, 1)] });
  const waited = { ...key, eventId: `${runId}-event`, stepId: 2 };
  await scene.act(aWait(waited, scene.now, 1_000_000_000));
  const { reader } = scene.store;
  assert.equal((await reader.waiters.forEvent("account", waited.eventId, null, 5)).length, 1);
  await tell(scene, runId, waited.eventId);
  // What is told before it is waited for is kept.
  const early = { ...key, eventId: `${runId}-early`, stepId: 3 };
  await tell(scene, runId, early.eventId);
  await scene.act(aWait(early, scene.now, 1_000_000_000));
  for (const leased of await scene.claim()) await scene.deliver(leased);
}

async function tell(scene: Scene, runId: string, eventId: string): Promise<void> {
  const messageIds = [`${eventId}-told`];
  await scene.act(aNotify(scene.now, eventId, { refs: [refOf(runId)], messageIds }));
}

/** A child brings its result to the run, which ends then. */
async function endWithChild(scene: Scene, { runId }: RunKey): Promise<void> {
  const ref = refOf(runId);
  await scene.act(anEnd(scene.now, "success", { ref, invokerMessageId: `${runId}-parent` }));
  assert.equal((await scene.store.reader.runs.get(ref))?.state.phase, "success");
}

async function fail(scene: Scene, runId: string): Promise<void> {
  await start(scene, runId);
  await scene.kill(await scene.claimOne());
  await scene.deliver(await scene.claimOne());
  const { reader } = scene.store;
  const [dead] = (await reader.deadLetters.list("account", { isOfRun: true }, FIRST_PAGE)).items;
  assert.equal((await reader.deadRuns.get(dead!.deadLetter))?.state.runId, runId);
}

/** It ends while messages, waits and events of it are left. */
async function drop(scene: Scene, runId: string): Promise<void> {
  const key = await start(scene, runId);
  await open(scene, key);
  await scene.act(anEnd(scene.now, "canceled", { ref: refOf(runId) }));
  assert.deepEqual(await scene.claimIds(), []);
}

/** A run that has a little of everything, of which nothing is due. */
async function open(scene: Scene, key: RunKey): Promise<void> {
  const { runId } = key;
  const later = aMessage({ messageId: `${runId}-later`, kind: "step", notBefore: 1e15 });
  const item = { ...anItem(later.messageId, 1), requested: later };
  await scene.act({ rule: "append", at: scene.now, ref: refOf(runId), items: [item] });
  await scene.act(aWait({ ...key, eventId: "event", stepId: 2 }, scene.now, 1_000_000_000));
  await tell(scene, runId, `${runId}-kept`);
}

async function crowd(scene: Scene): Promise<void> {
  for (let done = 0; done < CROWD; done += TOGETHER) {
    const names = Array.from({ length: TOGETHER }, (_, index) => `crowd-${done + index}`);
    const keys = await Promise.all(names.map((name) => start(scene, name)));
    const claimed = await scene.claim({ slots: 2 * TOGETHER });
    assert.equal(claimed.length, TOGETHER);
    await Promise.all(claimed.map((leased) => scene.deliver(leased)));
    await Promise.all(keys.map((key) => open(scene, key)));
    await Promise.all(names.map((name) => start(scene, `${name}-dead`)));
    await Promise.all((await scene.claim({ slots: 2 * TOGETHER })).map((each) => scene.kill(each)));
    await Promise.all(
      (await scene.claim({ slots: 2 * TOGETHER })).map((each) => scene.deliver(each)),
    );
  }
}
