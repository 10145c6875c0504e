import { backlogRows } from "../../src/core/model/account/stats.ts";
import type { StartRunAct } from "../../src/core/rules/workflow/start-run.ts";
import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import { aLeasedMessage, anAccount, aSettlement, bytes } from "../support/messages.ts";
import { anEnd, anItem, aStart, aStep, aWait } from "../support/runs.ts";
import { aPutSchedule } from "../support/schedules.ts";
import type { Scene } from "./scene.ts";

export const QUEUE_LINE = queueLine("queue");
export const KEY_LINE = keyLine("key");

const DAY_MS = 86_400_000;

/**
 * Stores something of each kind for an account: under ids that are the same for every account, and
 * with texts that name the account. `keyed` messages are under way under a key.
 */
export async function fillAccount(scene: Scene, accountId: string, keyed: number): Promise<void> {
  await scene.act({ rule: "add-account", account: anAccount({ accountId }) });
  await addResources(scene, accountId);
  await addMessages(scene, accountId, keyed);
  await addRun(scene, accountId);
  await addEndedRuns(scene, accountId);
  await sendDue(scene, accountId);
  const counts = await scene.store.reader.upkeep.countBacklog(scene.now, 100);
  await scene.store.recordStats(1_000, backlogRows(counts, scene.now));
}

const urlOf = (accountId: string): string => `https://${accountId}.test/hook`;

async function addResources(scene: Scene, accountId: string): Promise<void> {
  const destination = urlOf(accountId);
  await scene.act(aPutSchedule(scene.now, "schedule", { destination }, accountId));
  await scene.act(aPutSchedule(scene.now, `${accountId}-schedule`, { destination }, accountId));
  for (const name of ["group", `${accountId}-group`]) {
    await scene.act({
      rule: "put-endpoints",
      at: scene.now,
      key: { accountId, name },
      endpoints: [{ url: destination }],
      limits: { urlGroupsMax: 10, endpointsPerUrlGroupMax: 10 },
    });
  }
  for (const line of [QUEUE_LINE, KEY_LINE, queueLine(`${accountId}-queue`)]) {
    await scene.limit(line, { parallelism: 2, rate: 10, periodMs: DAY_MS }, accountId);
  }
}

async function addMessages(scene: Scene, accountId: string, keyed: number): Promise<void> {
  const wish = { accountId, url: urlOf(accountId), body: bytes(`body of ${accountId}`) };
  const flowControl = { key: "key", parallelism: 2, rate: 10, periodMs: DAY_MS };
  await scene.publish("first", { ...wish, queueName: "queue" });
  for (const messageId of ["waiting", `${accountId}-waiting`]) {
    await scene.publish(messageId, { ...wish, delayMs: DAY_MS, queueName: "queue" });
  }
  for (let number = 0; number < keyed; number++) {
    await scene.publish(`keyed-${number}`, { ...wish, flowControl });
  }
  await scene.publish("keyed", { ...wish, delayMs: DAY_MS, flowControl });
  await scene.publish("delayed", { ...wish, delayMs: DAY_MS });
  await scene.publish("callback", { ...wish, delayMs: DAY_MS, sourceId: "dead" });
  await scene.publish("sending", { ...wish, leasedBy: "node" });
  for (const messageId of ["dead", `${accountId}-dead`]) {
    await scene.publish(messageId, { ...wish, leasedBy: "node" });
    const leased = aLeasedMessage({ ...wish, messageId });
    const attempt = { body: bytes(`answer to ${accountId}`) };
    const piece = { accountId, messageId, attempt: 1, piece: 0, body: attempt.body };
    await scene.act({ rule: "keep-piece", lease: leased.lease, piece });
    await scene.act(aSettlement(leased, { at: scene.now, verdict: { kind: "dead" }, attempt }));
  }
}

/** A run with a result, that waits for an event and for another run. */
async function addRun(scene: Scene, accountId: string): Promise<void> {
  await startRun(scene, accountId, "run");
  const ref = { accountId, runId: "run" };
  const item = anItem("run-1", 1, { body: bytes(`{"stepId":1,"out":"of ${accountId}"}`) });
  const requested = { ...item.requested, accountId };
  const at = scene.now;
  await scene.act({ rule: "append", at, ref, items: [{ ...item, requested }] });
  const wait = aWait({ ...ref, createdAt: at, eventId: "event", stepId: 2 }, at);
  const notified = { ...wait.waiter.notified, accountId };
  const waiter = { ...wait.waiter, notified, timedOut: notified };
  await scene.act({ ...wait, waiter: { ...waiter, messageId: `${accountId}-wait` } });
  const messageId = "invoked-result";
  const invoker = { ref, step: aStep(3), requested: { ...requested, messageId }, messageId };
  await startRun(scene, accountId, "invoked-run", { invoker });
}

/** A run that has succeeded, and one that has failed. */
async function addEndedRuns(scene: Scene, accountId: string): Promise<void> {
  await startRun(scene, accountId, "ended-run");
  const ended = { accountId, runId: "ended-run" };
  const response = bytes(`response of ${accountId}`);
  await scene.act(anEnd(scene.now, "success", { ref: ended, response }));
  await startRun(scene, accountId, "failed-run");
  const lease = { accountId, messageId: "failed-run-0", fence: 1 };
  const [leased] = await scene.store.leased([{ ...lease, host: "", attempts: 0 }]);
  const attempt = { body: bytes(`answer to ${accountId}`) };
  await scene.act(aSettlement(leased!, { at: scene.now, verdict: { kind: "dead" }, attempt }));
}

/** Sends what is due; only the report of the failed run is answered. */
async function sendDue(scene: Scene, accountId: string): Promise<void> {
  const leased = await scene.claim();
  const report = leased.find(({ lease }) => lease.messageId === "failed-run-0-failure");
  const attempt = { body: bytes(`report of ${accountId}`) };
  const verdict = { kind: "delivered" } as const;
  await scene.act(aSettlement(report!, { at: scene.now, verdict, attempt }));
}

async function startRun(
  scene: Scene,
  accountId: string,
  runId: string,
  more: Partial<StartRunAct> = {},
): Promise<void> {
  const fields = { accountId, runId, workflowUrl: urlOf(accountId), createdAt: scene.now };
  const payload = bytes(`payload of ${accountId}`);
  await scene.act(aStart(fields, { payload, nodeId: "node", ...more }));
}
