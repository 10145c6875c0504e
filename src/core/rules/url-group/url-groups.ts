import type {
  Endpoint,
  EndpointChoice,
  UrlGroup,
  UrlGroupKey,
} from "../../model/url-group/url-group.ts";
import type { Decision, Rule } from "../../rule.ts";
import type { AccountLimits } from "../../model/account/account.ts";
import type { HeaderList } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";

/** A limit of the account's plan that refuses an act; nothing was stored. */
export interface OverQuota {
  readonly quota: string;
  readonly limit: number;
}

export interface PutEndpointsAct {
  readonly rule: "put-endpoints";
  readonly at: Instant;
  readonly key: UrlGroupKey;
  readonly endpoints: readonly Endpoint[];
  readonly limits: Pick<AccountLimits, "urlGroupsMax" | "endpointsPerUrlGroupMax">;
}

/** Adds endpoints to a group, or changes existing ones. The first ones create the group. */
export const putEndpoints: Rule<PutEndpointsAct, UrlGroup | OverQuota> = {
  needs: ({ key }) => ({
    urlGroups: [key],
    accounts: [key.accountId],
    counts: [{ accountId: key.accountId, noun: "urlGroups" }],
  }),
  decide: ({ key, at, endpoints, limits }, rows): Decision<UrlGroup | OverQuota> => {
    const known = rows.urlGroup(key);
    const { urlGroupsMax, endpointsPerUrlGroupMax } = limits;
    if (
      known === null &&
      rows.count({ accountId: key.accountId, noun: "urlGroups" }) >= urlGroupsMax
    ) {
      return refused({ quota: "maxTopics", limit: urlGroupsMax });
    }
    const { accountId, name } = key;
    const none: readonly Endpoint[] = [];
    const group = known ?? { accountId, name, endpoints: none, headers: [], createdAt: at };
    const urlGroup = {
      ...group,
      endpoints: endpoints.reduce(withEndpoint, group.endpoints),
      updatedAt: at,
    };
    if (urlGroup.endpoints.length > endpointsPerUrlGroupMax) {
      return refused({ quota: "maxEndpointsPerTopic", limit: endpointsPerUrlGroupMax });
    }
    return { changes: [{ type: "url-group.put", urlGroup }], answer: urlGroup };
  },
};

export interface RemoveEndpointsAct {
  readonly rule: "remove-endpoints";
  readonly at: Instant;
  readonly key: UrlGroupKey;
  readonly endpoints: readonly EndpointChoice[];
}

/** The group is removed with its last endpoint. Unknown endpoints are skipped. */
export const removeEndpoints: Rule<RemoveEndpointsAct, "removed" | "missing"> = {
  needs: ({ key }) => ({ urlGroups: [key] }),
  decide: ({ key, at, endpoints }, rows): Decision<"removed" | "missing"> => {
    const known = rows.urlGroup(key);
    if (known === null) return { changes: [], answer: "missing" };
    const left = known.endpoints.filter((one) => !endpoints.some((other) => isMeant(other, one)));
    if (left.length === 0) return { changes: [removed(key)], answer: "removed" };
    const urlGroup = { ...known, endpoints: left, updatedAt: at };
    return { changes: [{ type: "url-group.put", urlGroup }], answer: "removed" };
  },
};

export interface SetUrlGroupHeadersAct {
  readonly rule: "set-url-group-headers";
  readonly at: Instant;
  readonly key: UrlGroupKey;
  readonly headers: HeaderList;
}

/** The headers replace those of the group. */
export const setUrlGroupHeaders: Rule<SetUrlGroupHeadersAct, UrlGroup | null> = {
  needs: ({ key }) => ({ urlGroups: [key] }),
  decide: ({ key, at, headers }, rows): Decision<UrlGroup | null> => {
    const known = rows.urlGroup(key);
    if (known === null) return { changes: [], answer: null };
    const urlGroup = { ...known, headers, updatedAt: at };
    return { changes: [{ type: "url-group.put", urlGroup }], answer: urlGroup };
  },
};

export interface RemoveUrlGroupAct {
  readonly rule: "remove-url-group";
  readonly key: UrlGroupKey;
}

/** Messages published to the group are still delivered. */
export const removeUrlGroup: Rule<RemoveUrlGroupAct, null> = {
  needs: ({ key }) => ({ urlGroups: [key] }),
  decide: ({ key }, rows) => ({
    changes: rows.urlGroup(key) === null ? [] : [removed(key)],
    answer: null,
  }),
};

/**
 * An endpoint with the URL or the name of an existing one replaces it. When the URL is that of one
 * and the name that of another, the named one has moved to the URL of the first.
 */
function withEndpoint(endpoints: readonly Endpoint[], given: Endpoint): readonly Endpoint[] {
  const byUrl = endpoints.findIndex(({ url }) => url === given.url);
  const byName =
    given.name === undefined ? -1 : endpoints.findIndex(({ name }) => name === given.name);
  const replaced = byUrl < 0 ? byName : byUrl;
  if (replaced < 0) return [...endpoints, given];
  return endpoints.flatMap((endpoint, index) => {
    if (index === replaced) return [{ url: given.url, name: given.name ?? endpoint.name }];
    return index === byName ? [] : [endpoint];
  });
}

/** The given URL and name must both be the endpoint's. */
function isMeant(wanted: EndpointChoice, { url, name }: Endpoint): boolean {
  return (
    (wanted.url === undefined || wanted.url === url) &&
    (wanted.name === undefined || wanted.name === name)
  );
}

function removed(key: UrlGroupKey) {
  return { type: "url-group.removed", key } as const;
}

function refused(answer: OverQuota): Decision<OverQuota> {
  return { changes: [], answer };
}
