/** What journeys of schedules ask of the service. */
import assert from "node:assert/strict";
import type { CallAnswer } from "../support/http-call.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";
import type { TestService } from "../support/service-harness.ts";

/** So far away that it fires only when a test says so. */
export const NEW_YEAR = "0 0 1 1 *";

export type Headers = Readonly<Record<string, string>>;

export function post(
  service: TestService,
  destination: string,
  headers: Headers,
  body = "",
): Promise<CallAnswer> {
  return service.call("POST", `/v2/schedules/${destination}`, { headers, body });
}

export async function create(
  service: TestService,
  destination: string,
  headers: Headers,
  body = "",
): Promise<string> {
  const answer = await post(service, destination, { "Svc-Cron": NEW_YEAR, ...headers }, body);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json), ["scheduleId"]);
  return answer.json["scheduleId"] as string;
}

export function show(service: TestService, scheduleId: string): Promise<Item> {
  return service.get(`/v2/schedules/${scheduleId}`);
}

/** The states of the last messages, once they are all one of these. */
export function lastStates(
  service: TestService,
  id: string,
  ...wanted: string[]
): Promise<string[]> {
  return eventually(async () => {
    const states = Object.values((await show(service, id))["lastScheduleStates"] ?? {});
    return states.length > 0 && states.every((state) => wanted.includes(state as string))
      ? (states as string[])
      : null;
  }, `${id} ${wanted.join()}`);
}

/** Removes all that a test has left. */
export async function removeAll(service: TestService): Promise<void> {
  for (const item of await service.all("/v2/schedules")) {
    await service.call("DELETE", `/v2/schedules/${item["scheduleId"] as string}`);
  }
}
