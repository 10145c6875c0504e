/** Stores one of everything that has settings, through the operations, with all settings given. */
import { readDestination } from "../../../src/core/policy/egress/read-destination.ts";
import { urlTarget } from "../../../src/core/rules/message/compose.ts";
import type { Context } from "../../../src/operations/context.ts";
import { retryDeadLetter } from "../../../src/operations/message/dead-letters.ts";
import { publish } from "../../../src/operations/message/messages.ts";
import { putSchedule } from "../../../src/operations/schedule/schedules.ts";
import { rerunOne } from "../../../src/operations/workflow/rerun.ts";
import { readInvoke, readTrigger, startRun } from "../../../src/operations/workflow/start-run.ts";
import { waitForEvent } from "../../../src/operations/workflow/waits.ts";
import type { Ids } from "../../../src/platform/ids.ts";
import { Bell } from "../../../src/store/bell.ts";
import type { LeasedMessage } from "../../../src/store/store.ts";
import { readPublishOptions } from "../../../src/wire/message/publish.ts";
import { anAccount, bytes } from "../../support/messages.ts";
import { aStep } from "../../support/runs.ts";
import type { Scene } from "../scene.ts";

const CALLER_IP = "192.0.2.7";
const WORKFLOW_URL = "https://workflow.test/order";

const DELIVERY = {
  Method: "PUT",
  Timeout: "30s",
  Retries: "2",
  "Retry-Delay": "1000 * retried",
  "Flow-Control-Key": "key",
  "Flow-Control-Value": "parallelism=5, rate=100, period=1m",
  "Forward-X-Tenant": "7",
};

const EVERY_HEADER = headersOf({
  ...DELIVERY,
  ...prefixed("Callback", "https://callback.test/"),
  ...prefixed("Failure-Callback", "https://failure.test/"),
  Label: "red,blue",
  "Redact-Fields": "body,header[X-Tenant]",
  Hop: "2",
});

/** All that a retry or a resumption may give. */
const OTHER_HEADERS = headersOf({
  ...DELIVERY,
  Retries: "1",
  Timeout: "20s",
  "Flow-Control-Key": "other",
  "Failure-Callback": "https://other.test/",
  "Failure-Callback-Forward-X-Tenant": "8",
  Label: "green",
  "Redact-Fields": "header[X-Other]",
  "Forward-X-Tenant": "9",
});

/** The settings of `name` and of what is called by it. */
function prefixed(name: string, url: string): Record<string, string> {
  const settings = { ...DELIVERY, Delay: "10s", "Flow-Control-Key": `${name}-key` };
  const given = Object.entries(settings).map(([setting, value]) => [`${name}-${setting}`, value]);
  return { [name]: url, ...Object.fromEntries(given) };
}

function headersOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`Svc-${name}`, value]);
}

export async function playSettings(scene: Scene): Promise<void> {
  const account = anAccount();
  const { accountId } = account;
  await scene.act({ rule: "add-account", account });
  const context = contextOf(scene);
  const options = readPublishOptions(EVERY_HEADER, [], {});
  const given = readPublishOptions(OTHER_HEADERS, [], { call: "retry" });
  const target = urlTarget("https://example.test/hook", context.readDestination);
  if ("problem" in target) throw new Error(target.problem);
  const base = { account, callerIp: CALLER_IP, target, body: bytes("hello") };

  await publish(context, { ...base, options });
  await publish(context, { ...base, options: readPublishOptions([], [], {}), queueName: "queue" });
  const request = { cron: "* * * * *", scheduleId: "schedule", options, queueName: "queue" };
  await putSchedule(context, { ...base, destination: "https://example.test/hook", request });
  await trigger(context, "failing");
  await trigger(context, "parent");
  await invoke(context);
  await wait(context);

  for (const leased of await scene.claim()) {
    if (isToFail(leased)) await scene.kill(leased);
    else await scene.handBack(leased);
  }
  const [dead] = await scene.deadLetters();
  if (dead === undefined) throw new Error("no message has failed");
  await retryDeadLetter(context, account, idOf(dead.deadLetter), given);
  const page = { after: null, count: 1, order: "earliestFirst" } as const;
  const { items } = await scene.store.reader.deadRuns.list(accountId, {}, page);
  if (items[0] === undefined) throw new Error("no run has failed");
  const rerun = { ...given, runId: "resumed" };
  await rerunOne(context, account, "resume", idOf(items[0].deadLetter), rerun);
}

function isToFail({ message }: LeasedMessage): boolean {
  return message.run === undefined
    ? message.queueName === undefined
    : message.run.runId === "failing";
}

async function trigger(context: Context, runId: string): Promise<void> {
  const start = readTrigger(context, {
    account: anAccount(),
    url: WORKFLOW_URL,
    rawHeaders: [...EVERY_HEADER, "Svc-Workflow-RunId", runId],
    aliases: [],
    payload: bytes("payload"),
    callerIp: CALLER_IP,
    at: context.clock.now(),
  });
  await startRun(context, { ...start, run: { ...start.run, runId } });
}

async function invoke(context: Context): Promise<void> {
  const workflow = { runId: "child", createdAt: undefined, features: new Set(["LazyFetch"]) };
  const body = JSON.stringify({
    body: "payload",
    workflowRunId: "parent",
    workflowUrl: WORKFLOW_URL,
    headers: { "Svc-Label": ["red"], "Svc-Retries": ["1"], "Svc-Forward-X-Own": ["yes"] },
    step: { ...aStep(1), stepType: "Invoke" },
  });
  const start = readInvoke(context, {
    account: anAccount(),
    url: WORKFLOW_URL,
    rawHeaders: EVERY_HEADER,
    aliases: [],
    workflow: workflow as never,
    body: bytes(body),
    callerIp: CALLER_IP,
    at: context.clock.now(),
  });
  await startRun(context, start);
}

async function wait(context: Context): Promise<void> {
  await waitForEvent(context, {
    account: anAccount(),
    eventId: "event",
    workflow: { runId: "parent", createdAt: undefined } as never,
    rawHeaders: EVERY_HEADER,
    request: {
      url: WORKFLOW_URL,
      timeoutUrl: WORKFLOW_URL,
      timeoutMs: 60_000,
      timeoutHeaders: [["Svc-Retries", "4"]],
      step: { ...aStep(2), stepType: "Wait" },
    } as never,
    callerIp: CALLER_IP,
  });
}

function contextOf({ store, clock }: Scene): Context {
  return {
    store,
    clock,
    ids: countedIds(),
    bell: new Bell(),
    tickBell: new Bell(),
    deletionBell: new Bell(),
    handOver: { reserve: () => null },
    dailyQuota: { within: (_account: unknown, _count: number, work: () => unknown) => work() },
    knownQueues: { has: () => true, admit: () => Promise.resolve() },
    readDestination: (url: string) =>
      readDestination(url, { mode: "dev", allow: [], httpsOnly: false }),
    dialect: "svc",
    cursorSecrets: () => ["secret"],
    storedBytesMax: 10_000_000,
    isDiskLow: () => false,
    isStandbyMissing: () => false,
  } as unknown as Context;
}

/** Ids that are the same each time. */
function countedIds(): Ids {
  let count = 0;
  const next = (): string => String(++count).padStart(4, "0");
  return {
    sortable: (prefix) => `${prefix}${next()}`,
    secret: () => next(),
    bytes: (length) => new Uint8Array(length),
    fraction: () => 0,
  };
}

function idOf({ diedAt, number }: { readonly diedAt: number; readonly number: number }): string {
  return `${diedAt}-${number}`;
}
