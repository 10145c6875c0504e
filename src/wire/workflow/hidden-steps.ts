import { isJsonObject } from "../json/json.ts";
import type { Json } from "../message/message.ts";

/** A logged run or event for a read-only token: its steps do not tell the ids of webhooks. */
export function withoutHookIds(logged: Json): Json {
  const groups = logged["steps"] as readonly Group[] | undefined;
  const info = logged["stepInfo"] as Json | undefined;
  return {
    ...logged,
    steps: groups?.map((group) => ({ ...group, steps: group.steps.map(hideIn) })),
    stepInfo: info && hideIn(info),
  };
}

/** The record of a step in a run's history, likewise. */
export function recordWithoutHookIds(record: Uint8Array): Uint8Array {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength);
  if (!Object.keys(SECRET_FIELDS).some((stepType) => bytes.includes(stepType))) return record;
  try {
    const step: unknown = JSON.parse(bytes.toString());
    return isJsonObject(step) ? Buffer.from(JSON.stringify(hideIn(step))) : record;
  } catch {
    // The payload of a run need not be JSON.
    return record;
  }
}

interface Group extends Json {
  readonly steps: readonly Json[];
}

function hideIn(step: Json): Json {
  const field = SECRET_FIELDS[String(step["stepType"])];
  return field === undefined || step[field] === undefined ? step : { ...step, [field]: HIDDEN };
}

/** What tells the id of a webhook, by the type of step. */
const SECRET_FIELDS: Readonly<Record<string, string>> = {
  CreateWebhook: "out",
  WaitForWebhook: "waitEventId",
};
const HIDDEN = "hidden from read-only tokens";
