import type { Settings } from "../config/settings.ts";
import type { OpenFiles } from "../core/policy/limits/open-files.ts";
import { slotsOfHost } from "./dispatch/host-slots.ts";
import type { EngineLimits } from "./engine-options.ts";

export function engineLimits(
  { maxLogBytes, maxBatchBytes }: Settings,
  { deliveries }: OpenFiles,
): EngineLimits {
  return {
    slots: deliveries,
    slotsPerHost: SLOTS_PER_HOST,
    bytesMax: 128 * 1024 * 1024,
    logBytesMax: maxLogBytes,
    storedBytesMax: maxBatchBytes,
  };
}

const SLOTS_PER_HOST = 256;
/** Connections to one host, over all accounts. */
export const CONNECTIONS_OF_HOST_MAX = slotsOfHost(SLOTS_PER_HOST);
