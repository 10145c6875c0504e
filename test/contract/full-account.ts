import { keyLine, queueLine } from "../../src/core/model/line/line.ts";
import { aLeasedMessage, anAccount, aSettlement, bytes } from "../support/messages.ts";
import { anItem, aStart, aWait } from "../support/runs.ts";
import { aPutSchedule } from "../support/schedules.ts";
import type { Scene } from "./scene.ts";

export const QUEUE_LINE = queueLine("queue");
export const KEY_LINE = keyLine("key");

const DAY_MS = 86_400_000;

/**
 * Stores something of each kind for an account: under ids that are the same for every account, and
 * with texts that name the account.
 */
export async function fillAccount(scene: Scene, accountId: string): Promise<void> {
  await scene.act({ rule: "add-account", account: anAccount({ accountId }) });
  await addResources(scene, accountId);
  await addMessages(scene, accountId);
  await addRun(scene, accountId);
  await addDeadRun(scene, accountId);
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
    await scene.limit(line, { parallelism: 2 }, accountId);
  }
}

/** Nothing of it can be claimed today. */
async function addMessages(scene: Scene, accountId: string): Promise<void> {
  const wish = { accountId, url: urlOf(accountId), body: bytes(`body of ${accountId}`) };
  const flowControl = { key: "key", parallelism: 2, periodMs: 1_000 };
  for (const messageId of ["waiting", `${accountId}-waiting`]) {
    await scene.publish(messageId, { ...wish, delayMs: DAY_MS, queueName: "queue" });
  }
  await scene.publish("keyed", { ...wish, delayMs: DAY_MS, flowControl });
  await scene.publish("delayed", { ...wish, delayMs: DAY_MS });
  await scene.publish("sending", { ...wish, leasedBy: "node" });
  for (const messageId of ["dead", `${accountId}-dead`]) {
    await scene.publish(messageId, { ...wish, leasedBy: "node" });
    const leased = aLeasedMessage({ ...wish, messageId });
    const attempt = { body: bytes(`answer to ${accountId}`) };
    await scene.act(aSettlement(leased, { at: scene.now, verdict: { kind: "dead" }, attempt }));
  }
}

/** A run with a result, that waits for an event. */
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
}

async function addDeadRun(scene: Scene, accountId: string): Promise<void> {
  await startRun(scene, accountId, "failed-run");
  const lease = { accountId, messageId: "failed-run-0", fence: 1 };
  const [leased] = await scene.store.leased([{ ...lease, host: "", attempts: 0 }]);
  const attempt = { body: bytes(`answer to ${accountId}`) };
  await scene.act(aSettlement(leased!, { at: scene.now, verdict: { kind: "dead" }, attempt }));
}

async function startRun(scene: Scene, accountId: string, runId: string): Promise<void> {
  const fields = { accountId, runId, workflowUrl: urlOf(accountId), createdAt: scene.now };
  const payload = bytes(`payload of ${accountId}`);
  await scene.act(aStart(fields, { payload, nodeId: "node" }));
}
