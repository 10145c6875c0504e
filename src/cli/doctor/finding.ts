/** One thing that `postrider doctor` has checked. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "warning" | "problem";
  readonly says: string;
  /** What to do; absent if nothing has to be done. */
  readonly advice?: string;
}
