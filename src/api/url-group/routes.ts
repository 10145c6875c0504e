import type { Route } from "../http/call.ts";
import {
  addEndpoints,
  deleteEndpoints,
  deleteTopic,
  listTopics,
  setDefaultHeaders,
  showTopic,
} from "./url-groups.ts";

export const TOPIC_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/topics",
    needs: "read",
    handler: listTopics,
    lists: true,
    says: "Lists URL groups by name.",
  },
  {
    method: "GET",
    path: "/v2/topics/{name}",
    needs: "read",
    handler: showTopic,
    says: "Shows a URL group.",
  },
  {
    method: "PATCH",
    path: "/v2/topics/{name}",
    needs: "write",
    handler: setDefaultHeaders,
    says: "Sets the headers that stand behind those of whatever is published to the group.",
  },
  {
    method: "DELETE",
    path: "/v2/topics/{name}",
    needs: "write",
    handler: deleteTopic,
    says: "Removes a URL group, or finds it gone; what was published to it goes on.",
  },
  {
    method: "POST",
    path: "/v2/topics/{name}/endpoints",
    needs: "write",
    handler: addEndpoints,
    says: "Adds endpoints to a URL group, or changes those that it has; the first make the group.",
  },
  {
    method: "DELETE",
    path: "/v2/topics/{name}/endpoints",
    needs: "write",
    handler: deleteEndpoints,
    says: "Removes endpoints by URL or name; the group goes with its last one.",
  },
];
