import { NonRetryableError } from "../errors.ts";
import { readJson, type Step } from "../step.ts";

/** Work that is done here; its result is kept as JSON. */
export function runStep<Result>(name: string, work: () => Result | Promise<Result>): Step<Result> {
  return {
    name,
    type: "Run",
    perform: async () => ({ out: jsonOf(name, await work()) }),
    read: ({ out }) => readJson(out) as Result,
  };
}

/** A step whose result cannot be kept would be done again and again, so the run fails. */
export function jsonOf(name: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new NonRetryableError(
      `the result of step ${JSON.stringify(name)} cannot be written as JSON`,
      { cause: error },
    );
  }
}
