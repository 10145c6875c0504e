import type { ExitCode } from "./command-table.ts";

/** A mistake in a command, or an outcome that its exit code must tell; only the sentence is printed. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  /** What may help. */
  readonly hint: string | undefined;

  constructor(message: string, exitCode: ExitCode = 1, hint?: string) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.hint = hint;
  }
}
