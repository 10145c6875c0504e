import type { HeaderList } from "../../core/model/message/message.ts";
import type { Step } from "../../core/model/workflow/step.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import { parseFraction } from "../../core/policy/retry/fraction.ts";
import { readHeaderObject } from "../headers/header-object.ts";
import { naming, parseUrl, refusal } from "../headers/header-value.ts";
import { isJsonObject, readJson } from "../json/json.ts";
import { readStep } from "./step.ts";

/** The request of an endpoint whose workflow waits for an event. */
export interface WaitRequest {
  readonly url: string;
  readonly timeoutMs: number;
  readonly timeoutUrl: string;
  /** Null when they are those of the request. */
  readonly timeoutHeaders: HeaderList | null;
  readonly timeoutBody: unknown;
  readonly step: Step;
}

export function readWaitRequest(body: Uint8Array): WaitRequest {
  const value = readJson(body, BODY_BYTES_MAX);
  if (!isJsonObject(value)) throw refusal("body: must be an object");
  const url = readUrl(value["url"], "url");
  const { timeoutUrl, timeoutHeaders, timeoutBody, timeout } = value;
  return {
    url,
    timeoutMs: naming("timeout", () => readTimeout(timeout)),
    timeoutUrl: isAbsent(timeoutUrl) ? url : readUrl(timeoutUrl, "timeoutUrl"),
    timeoutHeaders: isAbsent(timeoutHeaders) ? null : readTimeoutHeaders(timeoutHeaders),
    timeoutBody: timeoutBody ?? undefined,
    step: readStep(value["step"]),
  };
}

/** A duration such as 20s or 7d; fractions of a unit are accepted too. */
function readTimeout(value: unknown): number {
  if (isAbsent(value)) return TIMEOUT_MS_DEFAULT;
  const text = typeof value === "number" ? `${value}s` : value;
  if (typeof text !== "string") throw refusal("is neither a duration nor a number of seconds");
  return parseFraction(text) ?? parseDuration(text);
}

function readTimeoutHeaders(value: unknown): HeaderList {
  if (!isJsonObject(value)) throw refusal("timeoutHeaders: must be an object");
  return naming("timeoutHeaders", () => readHeaderObject(value));
}

function readUrl(value: unknown, field: string): string {
  if (typeof value !== "string") throw refusal(`${field}: must be a URL`);
  return naming(field, () => parseUrl(value));
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

const BODY_BYTES_MAX = 256 * 1024;
const TIMEOUT_MS_DEFAULT = 7 * 86_400_000;
