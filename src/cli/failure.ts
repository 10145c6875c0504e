/** How a command that failed says so: a sentence, what may help, and its exit code. */
import { ApiError, ConnectionError, PostriderError, TimeoutError } from "../../sdk/src/errors.ts";
import { CommandError } from "./command-error.ts";
import { ConsoleError } from "./account/console-client.ts";
import type { ExitCode } from "./command-table.ts";
import { jsonText, plainText } from "./terminal/output.ts";

export interface Failure {
  readonly text: string;
  readonly exitCode: ExitCode;
}

/** On standard error; with `--json` as an object. */
export async function failureText(error: unknown, isJson: boolean): Promise<Failure> {
  const { exitCode, ...shown } = await describe(error);
  if (isJson) return { text: `${jsonText(shown)}\n`, exitCode };
  const { error: sentence, code, field, hint } = shown;
  // That something is not there is said of the name that a person has typed.
  const about = field === undefined || code === "not-found" ? "" : `\n  field: ${field}`;
  const help = hint === undefined ? "" : `\n  hint: ${hint}`;
  return { text: `postrider: ${plainText(`${sentence}${about}${help}`)}\n`, exitCode };
}

interface Description {
  readonly error: string;
  readonly code?: string | undefined;
  readonly field?: string | undefined;
  readonly hint?: string | undefined;
  readonly requestId?: string | undefined;
  readonly exitCode: ExitCode;
}

async function describe(error: unknown): Promise<Description> {
  if (error instanceof CommandError) {
    return { error: error.message, hint: error.hint, exitCode: error.exitCode };
  }
  if (error instanceof ApiError) {
    const { message, code, field, requestId, status } = error;
    const isNoGroup = code === "not-found" && field === "destination";
    const hint = isNoGroup ? URL_OR_GROUP : error.hint;
    return { error: message, code, field, hint, requestId, exitCode: EXIT_OF.get(status) ?? 1 };
  }
  if (error instanceof ConsoleError) {
    return { error: error.message, exitCode: error.status === 404 ? 5 : 1 };
  }
  if (error instanceof ConnectionError) {
    return {
      error: `${error.message}${reasonOf(error.cause)}`,
      hint: "is the server running? start one with postrider dev, or give --server",
      exitCode: 3,
    };
  }
  if (error instanceof TimeoutError) return { error: error.message, exitCode: 6 };
  if (error instanceof PostriderError) return { error: error.message, exitCode: 1 };
  const { startErrorText } = await import("./server/start-error-text.ts");
  return { error: startErrorText(error), exitCode: 1 };
}

/** What the system said, such as `ECONNREFUSED`. */
function reasonOf(cause: unknown): string {
  const { code, cause: inner } = (cause ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === "string") return ` (${code})`;
  return inner === undefined ? "" : reasonOf(inner);
}

const URL_OR_GROUP =
  "a URL begins with http:// or https://; anything else is the name of a URL group";

const EXIT_OF: ReadonlyMap<number, ExitCode> = new Map<number, ExitCode>([
  [401, 4],
  [403, 4],
  [404, 5],
  [503, 3],
]);
