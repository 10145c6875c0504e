/** What the API says of a URL group, and what can be done with it. */
import type { Endpoint } from "../../../sdk/src/answers/url-group.ts";
import { call } from "../app/api.ts";

export function groupPath(name: string): string {
  return `/v2/topics/${encodeURIComponent(name)}`;
}

export function groupHref(name: string): string {
  return `/groups/${encodeURIComponent(name)}`;
}

/** Adds an endpoint, or changes the one with the same URL. */
export async function putEndpoint(group: string, { url, name }: Endpoint): Promise<void> {
  const endpoint = name === undefined || name === "" ? { url } : { url, name };
  await call(`${groupPath(group)}/endpoints`, { method: "POST", body: { endpoints: [endpoint] } });
}

export async function removeEndpoint(group: string, { url }: Endpoint): Promise<void> {
  await call(`${groupPath(group)}/endpoints`, { method: "DELETE", body: { endpoints: [{ url }] } });
}

export async function setHeaders(
  group: string,
  pairs: readonly (readonly [string, string])[],
): Promise<void> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of pairs) (headers[name] ??= []).push(value);
  await call(groupPath(group), { method: "PATCH", body: { headers } });
}
