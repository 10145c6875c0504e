import type { PublishAnswer } from "../../core/rules/message/publish.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { ScheduleKey } from "../../core/model/schedule/schedule.ts";
import { notFound } from "../../core/not-found.ts";
import type { Problem } from "../../core/problem.ts";
import { requireStorable, type Target } from "../../core/rules/message/compose.ts";
import { requireWithin } from "../../core/policy/limits/limits.ts";
import type { StoredSchedule } from "../../store/reader/schedules.ts";
import type {
  ScheduleListQuery,
  ScheduleRequest,
  ShownSchedule,
} from "../../wire/schedule/schedule.ts";
import type { Context } from "../context.ts";
import { requireTarget } from "../message/destinations.ts";
import { composeRequest, publish, requireRoom } from "../message/messages.ts";

export interface PutScheduleRequest {
  readonly account: Account;
  /** As the caller wrote it, and its endpoints. */
  readonly destination: string;
  readonly target: Target;
  readonly request: ScheduleRequest;
  readonly body: Uint8Array;
  readonly callerIp: string;
}

/** Creates a schedule, or replaces the one with its id; returns the id. */
export async function putSchedule(
  context: Context,
  { account, destination, target, request, body, callerIp }: PutScheduleRequest,
): Promise<string> {
  const { store, clock, ids, tickBell } = context;
  const { cron, queueName } = request;
  requireRoom(context);
  requireStorable(target.endpoints.length, body, context.storedBytesMax);
  if (queueName !== undefined) await context.knownQueues.admit(account, queueName);
  const at = clock.now();
  const { accountId, limits } = account;
  // The plan's present default, so that a schedule does not change with the plan.
  const { settings } = request.options;
  const retries = settings.retries ?? limits.retriesDefault;
  const options = { ...request.options, settings: { ...settings, retries } };
  const scheduleId = request.scheduleId ?? ids.sortable("scd_", at);
  // A message that could not be published now is refused for later too.
  composeRequest(context, { account, target, queueName, scheduleId, options, body, callerIp }, at);
  const { limit } = await store.act({
    rule: "put-schedule",
    at,
    key: { accountId, scheduleId },
    settings: {
      cron,
      destination: target.urlGroup ?? destination,
      queueName,
      options,
      callerIp,
      version: ids.sortable("", at),
    },
    body,
  });
  if (limit !== null) requireWithin("maxSchedules", limit + 1, limit);
  tickBell.ring();
  return scheduleId;
}

export async function getSchedule(context: Context, key: ScheduleKey): Promise<ShownSchedule> {
  const [shown] = await withStates(context, [await requireSchedule(context, key)], true);
  return shown!;
}

export interface ListedSchedules {
  readonly schedules: readonly ShownSchedule[];
  /** The last id of the page when there are more. */
  readonly next: string | null;
}

/** An account's schedules by id, as many as fit one response. */
export async function listSchedules(
  context: Context,
  accountId: string,
  { after, count, showsTicks }: ScheduleListQuery,
): Promise<ListedSchedules> {
  const { reader } = context.store;
  const schedules: ShownSchedule[] = [];
  const countMax = Math.min(count ?? LISTED_MAX, LISTED_MAX);
  let bytesLeft = LISTED_BYTES_MAX;
  let lastId: string | undefined = after;
  while (schedules.length < countMax && bytesLeft > 0) {
    const wanted = Math.min(PAGE_COUNT, countMax - schedules.length);
    const page = await reader.schedules.list(accountId, lastId, wanted, PAGE_BYTES);
    schedules.push(...(await withStates(context, page, showsTicks)));
    for (const { body } of page) bytesLeft -= body.byteLength;
    await context.reserve?.(LISTED_BYTES_MAX - bytesLeft);
    lastId = page.at(-1)?.schedule.scheduleId;
    if (lastId === undefined) return { schedules, next: null };
  }
  const more = await reader.schedules.list(accountId, lastId, 1, 0);
  return { schedules, next: more.length > 0 ? lastId : null };
}

export async function removeSchedule({ store }: Context, key: ScheduleKey): Promise<void> {
  if (!(await store.act({ rule: "remove-schedule", key }))) throw scheduleNotFound(key);
}

/** Pauses or resumes. */
export async function pauseSchedule(
  { store, clock, tickBell }: Context,
  key: ScheduleKey,
  isPaused: boolean,
): Promise<void> {
  const isThere = await store.act({ rule: "pause-schedule", at: clock.now(), key, isPaused });
  if (!isThere) throw scheduleNotFound(key);
  if (!isPaused) tickBell.ring();
}

/** What a schedule has published when it was told to. */
export interface ScheduleFiring {
  readonly target: Target;
  readonly answers: readonly PublishAnswer[];
}

/** Publishes the schedule's message now; its next time does not change. */
export async function runSchedule(
  context: Context,
  account: Account,
  key: ScheduleKey,
): Promise<ScheduleFiring> {
  const { schedule, body } = await requireSchedule(context, key);
  const { scheduleId, queueName, options, callerIp, destination } = schedule;
  const target = await requireTarget(context, key.accountId, destination);
  const request = { account, target, queueName, scheduleId, options, body, callerIp };
  return { target, answers: await publish(context, request) };
}

export async function requireSchedule(context: Context, key: ScheduleKey): Promise<StoredSchedule> {
  const stored = await context.store.reader.schedules.get(key);
  if (stored === null) throw scheduleNotFound(key);
  return stored;
}

/** With the states of the messages of its last tick, or of its last ticks. */
async function withStates(
  { store }: Context,
  stored: readonly StoredSchedule[],
  showsTicks: boolean,
): Promise<ShownSchedule[]> {
  const accountId = stored[0]?.schedule.accountId ?? "";
  const idsOf = ({ schedule }: StoredSchedule): readonly string[] => {
    const { lastMessageIds = [], lastTicks = [] } = schedule;
    const ofTicks = showsTicks ? lastTicks.flatMap(({ messageIds = [] }) => messageIds) : [];
    return [...new Set([...lastMessageIds, ...ofTicks])];
  };
  const ids = stored.flatMap(idsOf);
  const states = ids.length === 0 ? [] : await store.reader.messages.lastStates(accountId, ids);
  const stateOf = new Map(ids.map((id, index) => [id, states[index] ?? null]));
  return stored.map((each) => ({
    ...each,
    showsTicks,
    lastStates: Object.fromEntries(
      idsOf(each).flatMap((id) => {
        const state = stateOf.get(id) ?? null;
        return state === null ? [] : [[id, state]];
      }),
    ),
  }));
}

function scheduleNotFound({ scheduleId }: ScheduleKey): Problem {
  return notFound("schedule", scheduleId, "scheduleId");
}

const PAGE_COUNT = 100;
const PAGE_BYTES = 1024 * 1024;
const LISTED_MAX = 10_000;
const LISTED_BYTES_MAX = 16 * 1024 * 1024;
