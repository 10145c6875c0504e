import { PROBLEMS } from "../core/problem.ts";
import { choice, object, text } from "./json/schema.ts";

/** Every refusal. A defect has the code `internal` and the id under which the log tells more. */
export const PROBLEM = object(
  "Problem",
  { error: text("What is wrong, in a sentence.", "Svc-Delay: is not a duration") },
  {
    code: choice([...Object.keys(PROBLEMS), "internal"], "The kind of the problem."),
    field: text(
      "The header, the parameter, or the part of the path or body that is wrong.",
      "Svc-Delay",
    ),
    hint: text("What may help."),
    requestId: text("The id of a defect in the log."),
  },
);
