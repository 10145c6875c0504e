import type { UrlGroup } from "../../../sdk/src/answers/url-group.ts";
import { confirm } from "../terminal/ask-person.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, word } from "../invocation.ts";
import { type Columns, plain } from "../terminal/output.ts";
import { limitOf } from "./filter-options.ts";

export const HANDLERS: Handlers = {
  "groups list": async ({ client, output, flags }) => {
    await output.list(await client.urlGroups.list(), GROUPS, limitOf(flags));
  },
  "groups add": async ({ client, output, flags, ...invocation }) => {
    const name = flags.text("name");
    const url = word(invocation, 1);
    const endpoint = name === undefined ? { url } : { url, name };
    await client.urlGroups.addEndpoints(word(invocation, 0), [endpoint]);
    output.done("The endpoint is added.");
  },
  "groups show": async ({ client, output, ...invocation }) => {
    const group = await client.urlGroups.get(word(invocation, 0));
    if (output.mode === "json") return output.one(group, () => "");
    await output.list(group.endpoints, { URL: ({ url }) => url, NAME: ({ name }) => name });
  },
  "groups remove": async ({ client, output, ...invocation }) => {
    const [group, given] = [word(invocation, 0), word(invocation, 1)];
    const { endpoints } = await client.urlGroups.get(group);
    const endpoint = endpoints.find(({ url, name }) => url === given || name === given);
    if (endpoint === undefined) throw new CommandError(`${group} has no endpoint ${given}`, 5);
    await client.urlGroups.removeEndpoints(group, [{ url: endpoint.url }]);
    output.done("The endpoint is removed.");
  },
  "groups delete": async ({ client, output, flags, ...invocation }) => {
    const name = word(invocation, 0);
    const { endpoints } = await client.urlGroups.get(name);
    await confirm(`delete the group ${plain(name)} of ${endpoints.length} endpoints`, flags);
    await client.urlGroups.delete(name);
    output.done("The group is deleted.");
  },
};

const GROUPS: Columns<UrlGroup> = {
  GROUP: ({ name }) => name,
  ENDPOINTS: ({ endpoints }) => endpoints.map(({ name, url }) => name ?? url).join(" "),
};
