/**
 * An error that is an expected answer and no defect. It is made often, also by the thousand in one
 * request, and has no stack trace: building one costs far more than the refusal itself.
 */
export class TracelessError extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
