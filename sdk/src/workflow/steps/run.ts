import { jsonOf, readJson } from "../json.ts";
import type { Step } from "../step.ts";

/** Work that is done here; its result is stored as JSON. */
export function runStep<Result>(name: string, work: () => Result | Promise<Result>): Step<Result> {
  return {
    name,
    type: "Run",
    perform: async () => ({ out: resultJson(name, await work()) }),
    read: ({ out }) => readJson(out) as Result,
  };
}

export function resultJson(name: string, value: unknown): string | undefined {
  return jsonOf(`the result of step ${JSON.stringify(name)}`, value);
}
