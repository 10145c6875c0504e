import * as urlGroups from "../../operations/url-group/url-groups.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import * as wire from "../../wire/url-group/url-group.ts";
import { emptyAfter, json } from "../http/answers/answer.ts";
import type { Route } from "../http/server/call.ts";

export const URL_GROUP_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/topics",
    title: "List URL groups",
    needs: "read",
    handler: async ({ context }, { accountId, query }) => {
      requireNoFilters(query);
      const found = await urlGroups.listUrlGroups(context, accountId);
      return json(200, found.map(wire.urlGroupJson));
    },
    lists: true,
    says: "Lists URL groups by name.",
    answers: { 200: wire.URL_GROUPS },
  },
  {
    method: "GET",
    path: "/v2/topics/{name}",
    title: "Get a URL group",
    needs: "read",
    handler: async ({ context }, { accountId, id }) =>
      json(200, wire.urlGroupJson(await urlGroups.getUrlGroup(context, accountId, id))),
    says: "Shows a URL group.",
    answers: { 200: wire.URL_GROUP },
  },
  {
    method: "PATCH",
    path: "/v2/topics/{name}",
    title: "Set default headers",
    needs: "write",
    handler: async ({ context }, { account, accountId, id, body }) => {
      const { retriesDefault } = account.limits;
      const given = await body.read(wire.URL_GROUP_BODY_BYTES_MAX);
      const defaults = wire.readDefaultHeaders(given, { retriesDefault });
      const changed = await urlGroups.setUrlGroupHeaders(context, accountId, id, defaults);
      return json(200, wire.urlGroupJson(changed));
    },
    says: "Sets default headers of the group. A header of a publish wins over them.",
    body: wire.DEFAULT_HEADERS,
    answers: { 200: wire.URL_GROUP },
  },
  {
    method: "DELETE",
    path: "/v2/topics/{name}",
    title: "Delete a URL group",
    needs: "write",
    handler: ({ context }, { accountId, id }) =>
      emptyAfter(urlGroups.removeUrlGroup(context, accountId, id)),
    says: "Deletes a URL group. Messages already published to it are still delivered.",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/topics/{name}/endpoints",
    title: "Add endpoints",
    needs: "write",
    handler: async ({ context }, { account, id, body }) => {
      const endpoints = wire.readEndpoints(await body.read(wire.URL_GROUP_BODY_BYTES_MAX));
      return json(
        200,
        wire.urlGroupJson(await urlGroups.putEndpoints(context, account, id, endpoints)),
      );
    },
    says: "Adds or changes endpoints. The first endpoint creates the group.",
    body: wire.ENDPOINTS_REQUEST,
    answers: { 200: wire.URL_GROUP },
  },
  {
    method: "DELETE",
    path: "/v2/topics/{name}/endpoints",
    title: "Remove endpoints",
    needs: "write",
    handler: async ({ context }, { accountId, id, body }) => {
      const endpoints = wire.readEndpointsToRemove(await body.read(wire.URL_GROUP_BODY_BYTES_MAX));
      return emptyAfter(urlGroups.removeEndpoints(context, accountId, id, endpoints));
    },
    says: "Removes endpoints by URL or name. Removing the last one deletes the group.",
    body: wire.ENDPOINTS_TO_REMOVE,
    answers: { 200: null },
  },
];
