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
    says: "Sets default headers of the group. A header of a publish wins over them.",
  },
  {
    method: "DELETE",
    path: "/v2/topics/{name}",
    needs: "write",
    handler: deleteTopic,
    says: "Deletes a URL group. Messages already published to it are still delivered.",
  },
  {
    method: "POST",
    path: "/v2/topics/{name}/endpoints",
    needs: "write",
    handler: addEndpoints,
    says: "Adds or changes endpoints. The first endpoint creates the group.",
  },
  {
    method: "DELETE",
    path: "/v2/topics/{name}/endpoints",
    needs: "write",
    handler: deleteEndpoints,
    says: "Removes endpoints by URL or name. Removing the last one deletes the group.",
  },
];
