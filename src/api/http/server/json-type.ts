import { Problem } from "../../../core/problem.ts";

/** A page of another site cannot send this type without a preflight request. */
export function requireJsonType(contentType: string): void {
  if (/^application\/json\s*(;|$)/i.test(contentType)) return;
  throw new Problem("invalid-request", "Content-Type: must be application/json");
}
