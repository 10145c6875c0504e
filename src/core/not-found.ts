import { Problem } from "./problem.ts";
import { shortened } from "./shown-name.ts";

/** The account has nothing of that name, which the parameter `field` has given. */
export function notFound(noun: string, name: string, field: string): Problem {
  return Problem.about(field, "not-found", `${noun} ${shortened(name)} not found`);
}
