import type { FlowControl } from "../../core/model/message/message.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import {
  prefixErrors,
  parsePositiveInteger,
  invalidRequest,
  trimBlanks,
} from "../headers/header-value.ts";

/** The limits of a flow-control key, without the key. */
export type FlowControlLimits = Omit<FlowControl, "key">;

const PERIOD_MS_DEFAULT = 1_000;
const PERIOD_MS_MAX = 7 * 86_400_000;
/** The largest integer of both databases. */
const LIMIT_MAX = 2_147_483_647;

type Setting = "parallelism" | "rate" | "period";

/** Reads `parallelism=<n>, rate=<n>, period=<duration>` in any order, with at least one limit. */
export function parseFlowControl(text: string): FlowControlLimits {
  const settings = readSettings(text);
  const { parallelism, rate, period } = settings;
  if (parallelism === undefined && rate === undefined) {
    throw invalidRequest("must give parallelism or rate");
  }
  return { parallelism, rate, periodMs: period ?? PERIOD_MS_DEFAULT };
}

const SETTINGS: ReadonlyMap<string, Setting> = new Map([
  ["parallelism", "parallelism"],
  ["rate", "rate"],
  ["period", "period"],
]);

function readSettings(text: string): Partial<Record<Setting, number>> {
  const settings: Partial<Record<Setting, number>> = {};
  for (const pair of text.split(",", SETTINGS.size + 1)) {
    const equalsAt = pair.indexOf("=");
    const name = SETTINGS.get(trimBlanks(pair.slice(0, Math.max(equalsAt, 0))).toLowerCase());
    if (name === undefined) {
      throw invalidRequest("must be a list of parallelism=<n>, rate=<n> and period=<duration>");
    }
    if (settings[name] !== undefined) throw invalidRequest(`gives ${name} twice`);
    const value = trimBlanks(pair.slice(equalsAt + 1));
    settings[name] = prefixErrors(name, () =>
      name === "period" ? parsePeriod(value) : parseLimit(value),
    );
  }
  return settings;
}

function parsePeriod(text: string): number {
  const periodMs = parseDuration(text);
  if (periodMs === 0) throw invalidRequest("must be at least 1s");
  requirePeriod(periodMs);
  return periodMs;
}

/** A limit of a key: attempts in progress, or starts in a period. */
export function parseLimit(text: string): number {
  const value = parsePositiveInteger(text);
  if (value > LIMIT_MAX) throw invalidRequest(`must be at most ${LIMIT_MAX}`);
  return value;
}

export function requirePeriod(periodMs: number): void {
  if (periodMs > PERIOD_MS_MAX) throw invalidRequest("is longer than a week");
}
