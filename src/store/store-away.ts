import { Problem } from "../core/problem.ts";

/** The store does not answer. It tells the log itself when that begins and when it ends. */
export class StoreAway extends Problem {
  constructor(message: string) {
    super("overloaded", message, 1);
    this.name = "StoreAway";
  }
}
