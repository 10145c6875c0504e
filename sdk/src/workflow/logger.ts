import { ForeignSignatureError, SignatureError } from "../errors.ts";
import { errorText } from "./error-text.ts";
import type { HeaderView } from "./incoming.ts";
import { HEADERS } from "./protocol.ts";

/** Where errors of workflows are printed; `console`, pino and winston are such. */
export interface Logger {
  error(text: string): void;
}

/** Prints why a delivery failed. A logger that throws must not change the answer. */
export function logFailure(
  logger: Logger | false | undefined,
  headers: HeaderView,
  error: unknown,
  stepName?: string,
): void {
  if (logger === false || isOfStranger(error)) return;
  const run = headers.get(HEADERS.runId) ?? "no run yet";
  const attempt = Number(headers.get(HEADERS.retried) ?? 0) + 1;
  const what = stepName === undefined ? "" : `step ${JSON.stringify(stepName)} `;
  try {
    const text = `workflow ${run}: ${what}failed, attempt ${attempt}: ${errorText(error)}`;
    (logger ?? console).error(text);
  } catch {
    // Nothing is left to print it to.
  }
}

/** A caller without a key could fill the log; a foreign signature is one that the service made. */
function isOfStranger(error: unknown): boolean {
  return error instanceof SignatureError && !(error instanceof ForeignSignatureError);
}
