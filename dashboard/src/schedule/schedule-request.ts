/** The settings of a schedule as the request that creates or replaces it. */
import type { CreatedSchedule, Schedule } from "../../../sdk/src/answers/schedule.ts";
import type { HeaderLists } from "../../../sdk/src/answers/words.ts";
import { call } from "../app/api.ts";

export interface ScheduleDraft {
  readonly id: string;
  /** With its zone. */
  readonly cron: string;
  readonly destination: string;
  readonly method: string;
  readonly body: string;
  /** Beside those that the form has fields for. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export const EMPTY_DRAFT: ScheduleDraft = {
  id: "",
  cron: "0 9 * * MON-FRI",
  destination: "",
  method: "POST",
  body: "",
  headers: [["Content-Type", "application/json"]],
};

export function draftOf(schedule: Schedule): ScheduleDraft {
  const { scheduleId, cron, destination, method, body = "" } = schedule;
  return { id: scheduleId, cron, destination, method, body, headers: settingsOf(schedule) };
}

/** Every setting that the API shows. */
function settingsOf(schedule: Schedule): [string, string][] {
  const settings: [string, string | undefined][] = [
    ["Svc-Retries", schedule.retries?.toString()],
    ["Svc-Retry-Delay", schedule.retryDelayExpression],
    ["Svc-Delay", secondsText(schedule.delay)],
    ["Svc-Timeout", secondsText(schedule.timeout)],
    ["Svc-Queue-Name", schedule.queueName],
    ["Svc-Label", schedule.labels?.join(",")],
    ["Svc-Flow-Control-Key", schedule.flowControlKey],
    ["Svc-Flow-Control-Value", flowValue(schedule)],
    ["Svc-Callback", schedule.callback],
    ["Svc-Failure-Callback", schedule.failureCallback],
  ];
  return [
    ...forwarded("Svc-Forward-", schedule.header),
    ...settings.filter((pair): pair is [string, string] => pair[1] !== undefined),
    ...forwarded("Svc-Callback-Forward-", schedule.callbackHeader),
    ...forwarded("Svc-Failure-Callback-Forward-", schedule.failureCallbackHeader),
  ];
}

function secondsText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}s`;
}

function flowValue({ flowControlKey, parallelism, rate, period }: Schedule): string | undefined {
  if (flowControlKey === undefined) return undefined;
  const limits = [
    parallelism === undefined ? null : `parallelism=${parallelism}`,
    rate === undefined ? null : `rate=${rate}`,
    rate === undefined || period === undefined ? null : `period=${period}s`,
  ];
  return limits.filter((limit) => limit !== null).join(", ");
}

function forwarded(prefix: string, headers: HeaderLists = {}): [string, string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    values.map((value): [string, string] =>
      prefix === "Svc-Forward-" && /^content-type$/i.test(name)
        ? [name, value]
        : [`${prefix}${name}`, value],
    ),
  );
}

/** Why it cannot be saved from here without losing something; null when it can. */
export function whyNoEdit(schedule: Schedule): string | null {
  const { header = {}, callbackHeader = {}, failureCallbackHeader = {}, body = "" } = schedule;
  const values = [header, callbackHeader, failureCallbackHeader].flatMap((each) =>
    Object.values(each).flat(),
  );
  const isHidden = [body, ...values].some((value) => value.startsWith("REDACTED:"));
  if (isHidden) return "A part of it is redacted, so it cannot be saved from here";
  return schedule.bodyBase64 === undefined
    ? null
    : "Its body is binary, so it cannot be saved from here";
}

export function requestHeaders({ id, cron, method, headers }: ScheduleDraft): [string, string][] {
  return [
    ["Svc-Cron", cron],
    ...(id === "" ? [] : ([["Svc-Schedule-Id", id]] as [string, string][])),
    ...(method === "POST" ? [] : ([["Svc-Method", method]] as [string, string][])),
    ...headers.map(([name, value]): [string, string] => [name, value]),
  ];
}

/** Answers the id. */
export async function saveSchedule(draft: ScheduleDraft): Promise<string> {
  const headers = new Headers();
  for (const [name, value] of requestHeaders(draft)) headers.append(name, value);
  const { scheduleId } = await call<CreatedSchedule>(`/v2/schedules/${draft.destination}`, {
    method: "POST",
    headers: Object.fromEntries(headers),
    body: draft.body,
  });
  return scheduleId;
}
