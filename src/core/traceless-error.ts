/**
 * An expected refusal, not a defect. It has no stack trace, since one request may create thousands,
 * and a trace costs far more than the refusal itself.
 */
export class TracelessError extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
