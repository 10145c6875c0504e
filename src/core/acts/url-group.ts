import type { AccountLimits } from "../model/account/account.ts";
import type { HeaderList, Instant } from "../model/message/message.ts";
import type { Endpoint, EndpointChoice, Topic, TopicKey } from "../model/url-group/url-group.ts";

/** What can be done to a URL group. */
export type TopicAct = PutEndpointsAct | RemoveEndpointsAct | SetTopicHeadersAct | RemoveTopicAct;

export interface PutEndpointsAct {
  readonly rule: "put-endpoints";
  readonly at: Instant;
  readonly key: TopicKey;
  readonly endpoints: readonly Endpoint[];
  readonly limits: Pick<AccountLimits, "topicsMax" | "endpointsPerTopicMax">;
}

export interface RemoveEndpointsAct {
  readonly rule: "remove-endpoints";
  readonly at: Instant;
  readonly key: TopicKey;
  readonly endpoints: readonly EndpointChoice[];
}

export interface SetTopicHeadersAct {
  readonly rule: "set-topic-headers";
  readonly at: Instant;
  readonly key: TopicKey;
  readonly headers: HeaderList;
}

export interface RemoveTopicAct {
  readonly rule: "remove-topic";
  readonly key: TopicKey;
}

export interface TopicAnswers {
  readonly "put-endpoints": Topic | OverQuota;
  readonly "remove-endpoints": "removed" | "missing";
  readonly "set-topic-headers": Topic | null;
  readonly "remove-topic": null;
}

/** A limit of the account's plan that stands against an act; nothing was stored. */
export interface OverQuota {
  readonly quota: string;
  readonly limit: number;
}
