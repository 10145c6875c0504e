import type { ServiceRecord } from "../../core/model/account/service-record.ts";
import type { NodeRecord } from "../node-facts.ts";

/** What belongs to the service as a whole. */
export interface ServiceReader {
  get(): Promise<ServiceRecord>;
  nodes(): Promise<readonly NodeRecord[]>;
}
