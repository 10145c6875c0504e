import type { ServiceRecord } from "../../core/model/account/service-record.ts";
import type { Instant } from "../../core/model/message/message.ts";

/** What belongs to the service as a whole. */
export interface ServiceReader {
  get(): Promise<ServiceRecord>;
  /** Every node that has a row; one that ended keeps it until another takes over. */
  nodes(): Promise<readonly NodeRecord[]>;
}

export interface NodeRecord {
  readonly nodeId: string;
  /** In due time. */
  readonly renewedAt: Instant;
  /** It starts no delivery. */
  readonly isPaused: boolean;
}
