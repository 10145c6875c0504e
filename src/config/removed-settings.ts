/** A setting of an earlier version. Where it is still given, it changes nothing, and the log says so. */
export interface RemovedSetting {
  /** The value's placeholder; absent for a flag without a value. */
  readonly placeholder?: string;
  /** How it is now. */
  readonly says: string;
}

export const REMOVED_SETTINGS: Readonly<Record<string, RemovedSetting>> = {
  channels: { says: "each workflow step is a request of its own" },
};
