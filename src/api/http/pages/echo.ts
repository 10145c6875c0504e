import { Problem } from "../../../core/problem.ts";
import { withEitherPrefix } from "../../../core/model/message/dialect.ts";
import { parseShortDuration } from "../../../core/policy/retry/duration.ts";
import { single } from "../../../wire/filters/filter-parameters.ts";
import * as schema from "../../../wire/json/schema.ts";
import { textOf } from "../../../wire/message/body.ts";
import { invalidRequest, parseInteger, prefixErrors } from "../../../wire/headers/header-value.ts";
import { json } from "../answers/answer.ts";
import type { AdmittedHandler, Api, UnreadCall } from "../server/call.ts";

/**
 * A destination inside the service, so that a first delivery needs no second program. `?status=`
 * sets the response, `?times=` fails that many attempts first, `?delay=` waits before the response.
 */
export function admitEcho(api: Api, call: UnreadCall): AdmittedHandler {
  if (!api.hasEcho) throw new Problem("not-found", "the echo target exists in dev only");
  const parameters = new URLSearchParams(call.query);
  const status = readNumber(parameters, "status", 200);
  const times = readNumber(parameters, "times", 0);
  const delayMs = readDelay(parameters.get("delay"));
  if (status < 200 || status > 599) throw invalidRequest("status: must be from 200 to 599");
  return async (body) => {
    const bytes = await body.read(ECHO_BYTES_MAX);
    if (delayMs > 0) await api.clock.sleep(delayMs);
    const retried = retriedOf(call.request.rawHeaders);
    const isFailing = retried < times;
    return json(isFailing ? (status >= 300 ? status : 500) : times > 0 ? 200 : status, {
      echo: `${call.request.method} ${call.request.url}`,
      retried,
      body: textOf(bytes.subarray(0, SHOWN_BYTES_MAX)) ?? undefined,
    });
  };
}

/** How many attempts came before, from the delivery's headers. */
export function retriedOf(rawHeaders: readonly string[]): number {
  const nameAt = rawHeaders.findIndex(
    (text, index) => index % 2 === 0 && RETRIED_NAMES.includes(text.toLowerCase()),
  );
  return nameAt < 0 ? 0 : Number(rawHeaders[nameAt + 1]) || 0;
}

function readNumber(parameters: URLSearchParams, name: string, otherwise: number): number {
  const given = parameters.get(name);
  return given === null ? otherwise : prefixErrors(name, () => parseInteger(given));
}

function readDelay(text: string | null): number {
  if (text === null) return 0;
  const delayMs = prefixErrors("delay", () => parseShortDuration(text));
  if (delayMs > DELAY_MS_MAX) throw invalidRequest("delay: must be at most 10m");
  return delayMs;
}

export const ECHO_ROWS = [
  single("status", "The status of the answer.", schema.integer(undefined, 503)),
  single("times", "How many attempts fail before one succeeds.", schema.integer()),
  single("delay", "How long the answer takes, such as `2s` or `300ms`; at most `10m`."),
];
export const ECHO = schema.object(
  "Echo",
  {
    echo: schema.text("Method and path of the request."),
    retried: schema.integer("Attempts before this one."),
  },
  { body: schema.text("The beginning of the body.") },
);

const RETRIED_NAMES = withEitherPrefix("retried");
const ECHO_BYTES_MAX = 50 * 1024 * 1024;
const SHOWN_BYTES_MAX = 10_000;
const DELAY_MS_MAX = 600_000;
