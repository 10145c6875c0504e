import { Problem } from "../core/problem.ts";

/** The store does not answer. Its driver logs when that begins and ends. */
export class StoreUnavailable extends Problem {
  constructor(message: string) {
    super("overloaded", message, 1);
    this.name = "StoreUnavailable";
  }
}
