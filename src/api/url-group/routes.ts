import type { Route } from "../http/call.ts";
import {
  addEndpoints,
  deleteEndpoints,
  deleteUrlGroup,
  listUrlGroups,
  setDefaultHeaders,
  showUrlGroup,
} from "./url-groups.ts";

export const URL_GROUP_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/topics",
    needs: "read",
    handler: listUrlGroups,
    lists: true,
    says: "Lists URL groups by name.",
  },
  {
    method: "GET",
    path: "/v2/topics/{name}",
    needs: "read",
    handler: showUrlGroup,
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
    handler: deleteUrlGroup,
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
