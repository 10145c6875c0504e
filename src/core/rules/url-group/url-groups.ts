import type {
  OverQuota,
  PutEndpointsAct,
  RemoveEndpointsAct,
  RemoveTopicAct,
  SetTopicHeadersAct,
} from "../../acts/url-group.ts";
import type { Endpoint, EndpointChoice, Topic, TopicKey } from "../../model/url-group/url-group.ts";
import type { Decision, Rule } from "../../rule.ts";

/** Adds endpoints to a group, or changes those that it has. The first ones make the group. */
export const putEndpoints: Rule<PutEndpointsAct> = {
  needs: ({ key }) => ({
    topics: [key],
    accounts: [key.accountId],
    counts: [{ accountId: key.accountId, noun: "topics" }],
  }),
  decide: ({ key, at, endpoints, limits }, rows): Decision<Topic | OverQuota> => {
    const known = rows.topic(key);
    const { topicsMax, endpointsPerTopicMax } = limits;
    if (known === null && rows.count({ accountId: key.accountId, noun: "topics" }) >= topicsMax) {
      return refused({ quota: "maxTopics", limit: topicsMax });
    }
    const { accountId, name } = key;
    const none: readonly Endpoint[] = [];
    const group = known ?? { accountId, name, endpoints: none, headers: [], createdAt: at };
    const topic = {
      ...group,
      endpoints: endpoints.reduce(withEndpoint, group.endpoints),
      updatedAt: at,
    };
    if (topic.endpoints.length > endpointsPerTopicMax) {
      return refused({ quota: "maxEndpointsPerTopic", limit: endpointsPerTopicMax });
    }
    return { changes: [{ type: "topic.put", topic }], answer: topic };
  },
};

/** Removes endpoints from a group; the group goes with its last one. Unknown ones are skipped. */
export const removeEndpoints: Rule<RemoveEndpointsAct> = {
  needs: ({ key }) => ({ topics: [key] }),
  decide: ({ key, at, endpoints }, rows): Decision<"removed" | "missing"> => {
    const known = rows.topic(key);
    if (known === null) return { changes: [], answer: "missing" };
    const left = known.endpoints.filter((one) => !endpoints.some((other) => isMeant(other, one)));
    if (left.length === 0) return { changes: [removed(key)], answer: "removed" };
    const topic = { ...known, endpoints: left, updatedAt: at };
    return { changes: [{ type: "topic.put", topic }], answer: "removed" };
  },
};

/** The headers replace those that the group had. */
export const setTopicHeaders: Rule<SetTopicHeadersAct> = {
  needs: ({ key }) => ({ topics: [key] }),
  decide: ({ key, at, headers }, rows): Decision<Topic | null> => {
    const known = rows.topic(key);
    if (known === null) return { changes: [], answer: null };
    const topic = { ...known, headers, updatedAt: at };
    return { changes: [{ type: "topic.put", topic }], answer: topic };
  },
};

/** What was published to the group goes on. */
export const removeTopic: Rule<RemoveTopicAct> = {
  needs: ({ key }) => ({ topics: [key] }),
  decide: ({ key }, rows) => ({
    changes: rows.topic(key) === null ? [] : [removed(key)],
    answer: null,
  }),
};

/**
 * An endpoint with the URL or the name of one that is there takes its place. When the URL is that
 * of one and the name that of another, the named one has moved to where the first one is.
 */
function withEndpoint(endpoints: readonly Endpoint[], given: Endpoint): readonly Endpoint[] {
  const byUrl = endpoints.findIndex(({ url }) => url === given.url);
  const byName =
    given.name === undefined ? -1 : endpoints.findIndex(({ name }) => name === given.name);
  const place = byUrl < 0 ? byName : byUrl;
  if (place < 0) return [...endpoints, given];
  return endpoints.flatMap((endpoint, index) => {
    if (index === place) return [{ url: given.url, name: given.name ?? endpoint.name }];
    return index === byName ? [] : [endpoint];
  });
}

/** Each of the two that is given must be the endpoint's. */
function isMeant(wanted: EndpointChoice, { url, name }: Endpoint): boolean {
  return (
    (wanted.url === undefined || wanted.url === url) &&
    (wanted.name === undefined || wanted.name === name)
  );
}

function removed(key: TopicKey) {
  return { type: "topic.removed", key } as const;
}

function refused(answer: OverQuota): Decision<OverQuota> {
  return { changes: [], answer };
}
