import type { ServiceRecord } from "../../core/model/account/account.ts";
import type { NodeRecord } from "../node-facts.ts";

/**
 * Where a write is when its commit is confirmed: on the disk of the only machine, on that of the
 * primary, or on that of a synchronous standby too.
 */
export type Durability = "disk" | "primary" | "standby";

/** What belongs to the service as a whole. */
export interface ServiceReader {
  get(): Promise<ServiceRecord>;
  nodes(): Promise<readonly NodeRecord[]>;
  /** What a commit waits for. */
  durability(): Promise<Durability>;
}
