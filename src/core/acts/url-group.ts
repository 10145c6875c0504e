import type { AccountLimits } from "../model/account/account.ts";
import type { HeaderList } from "../model/message/message.ts";
import type { Instant } from "../model/time.ts";
import type {
  Endpoint,
  EndpointChoice,
  UrlGroup,
  UrlGroupKey,
} from "../model/url-group/url-group.ts";

/** Acts on URL groups. */
export type UrlGroupAct =
  | PutEndpointsAct
  | RemoveEndpointsAct
  | SetUrlGroupHeadersAct
  | RemoveUrlGroupAct;

export interface PutEndpointsAct {
  readonly rule: "put-endpoints";
  readonly at: Instant;
  readonly key: UrlGroupKey;
  readonly endpoints: readonly Endpoint[];
  readonly limits: Pick<AccountLimits, "urlGroupsMax" | "endpointsPerUrlGroupMax">;
}

export interface RemoveEndpointsAct {
  readonly rule: "remove-endpoints";
  readonly at: Instant;
  readonly key: UrlGroupKey;
  readonly endpoints: readonly EndpointChoice[];
}

export interface SetUrlGroupHeadersAct {
  readonly rule: "set-url-group-headers";
  readonly at: Instant;
  readonly key: UrlGroupKey;
  readonly headers: HeaderList;
}

export interface RemoveUrlGroupAct {
  readonly rule: "remove-url-group";
  readonly key: UrlGroupKey;
}

export interface UrlGroupAnswers {
  readonly "put-endpoints": UrlGroup | OverQuota;
  readonly "remove-endpoints": "removed" | "missing";
  readonly "set-url-group-headers": UrlGroup | null;
  readonly "remove-url-group": null;
}

/** A limit of the account's plan that refuses an act; nothing was stored. */
export interface OverQuota {
  readonly quota: string;
  readonly limit: number;
}
