import type { Survivor } from "./survivor.ts";

/** Generated defects that were looked at and are right to survive. Any other fails `npm run mutants -- --generated`. */
export const SURVIVORS: readonly Survivor[] = [];
