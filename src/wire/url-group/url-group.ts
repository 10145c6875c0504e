import type { HeaderList } from "../../core/model/message/message.ts";
import type { Endpoint, EndpointChoice, UrlGroup } from "../../core/model/url-group/url-group.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { headerDialect } from "../headers/header-kind.ts";
import { readHeaderObject } from "../headers/header-object.ts";
import { describesContent } from "../headers/header-reading.ts";
import { misspelledPrefix } from "../headers/misspelled-header.ts";
import { naming, refusal, shownName } from "../headers/header-value.ts";
import { rawHeadersOf } from "../headers/url-text.ts";
import { isJsonObject, readJson, requireMembers } from "../json/json.ts";
import type { TypeOf } from "../json/schema.ts";
import type { URL_GROUP } from "./url-group-schemas.ts";
import { type PublishDefaults, readPublishOptions } from "../message/publish.ts";

const ENDPOINTS_MAX = 1_000;
const NAME_CHARACTERS_MAX = 128;
/** More than the longest URL and the longest name for every endpoint. */
export const URL_GROUP_BODY_BYTES_MAX = 10 * 1024 * 1024;
const CONTROL_CHARACTERS = /\p{Cc}/u;

/** A URL group as the API shows it. */
export function urlGroupJson({
  name,
  endpoints,
  headers,
  createdAt,
  updatedAt,
}: UrlGroup): TypeOf<typeof URL_GROUP> {
  return { name, endpoints, headers: headerRecord(headers), createdAt, updatedAt };
}

/** `{"endpoints": [{"url", "name"?}]}`. The egress policy is checked elsewhere. */
export function readEndpoints(body: Uint8Array): Endpoint[] {
  return readList(body).map((value, index) => {
    const { url, name } = readEndpoint(value, index);
    if (url === undefined) throw refusal(`endpoints[${index}].url: is missing`);
    return { url, name };
  });
}

/** The endpoints to remove, each by its URL, its name, or both. */
export function readEndpointsToRemove(body: Uint8Array): EndpointChoice[] {
  return readList(body).map((value, index) => {
    const endpoint = readEndpoint(value, index);
    if (endpoint.url === undefined && endpoint.name === undefined) {
      throw refusal(`endpoints[${index}]: must have a url or a name`);
    }
    return endpoint;
  });
}

/**
 * `{"headers": {"<name>": "<value>" or ["<value>", ...]}}`: refused like the headers of a publish,
 * so that the caller learns of a mistake before the next message.
 */
export function readDefaultHeaders(body: Uint8Array, defaults: PublishDefaults): HeaderList {
  const value = readJson(body, URL_GROUP_BODY_BYTES_MAX);
  if (!isJsonObject(value) || !isJsonObject(value["headers"])) {
    throw refusal("body: must be an object with the member headers, an object");
  }
  requireMembers(value, ["headers"]);
  const headers = readHeaderObject(value["headers"]);
  for (const [name] of headers) {
    if (headerDialect(name) === null && !describesContent(name)) {
      const problem = misspelledPrefix(name);
      if (problem !== null) throw refusal(`headers: ${problem}`);
      throw refusal(`headers: ${shownName(name)} is not a header of this service`);
    }
  }
  naming("headers", () => readPublishOptions(rawHeadersOf(headers), [], defaults));
  return headers;
}

function readList(body: Uint8Array): readonly unknown[] {
  const value = readJson(body, URL_GROUP_BODY_BYTES_MAX);
  if (!isJsonObject(value) || !Array.isArray(value["endpoints"])) {
    throw refusal("body: must be an object with the member endpoints, an array");
  }
  requireMembers(value, ["endpoints"]);
  const list: readonly unknown[] = value["endpoints"];
  if (list.length === 0) throw refusal("endpoints: is empty");
  if (list.length > ENDPOINTS_MAX) throw refusal(`endpoints: has more than ${ENDPOINTS_MAX}`);
  return list;
}

function readEndpoint(value: unknown, index: number): EndpointChoice {
  const field = `endpoints[${index}]`;
  if (!isJsonObject(value)) throw refusal(`${field}: must be an object`);
  requireMembers(value, ["url", "name"], field);
  return {
    url: readText(value["url"], `${field}.url`),
    name: readName(value["name"], `${field}.name`),
  };
}

/** Clients send null or an empty text for absent values. */
function readText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw refusal(`${field}: must be a string`);
  return value;
}

/** Names may hold blanks and any letters. */
function readName(value: unknown, field: string): string | undefined {
  const name = readText(value, field);
  if (name === undefined) return undefined;
  if (name.length > NAME_CHARACTERS_MAX) {
    throw refusal(`${field}: is longer than ${NAME_CHARACTERS_MAX} characters`);
  }
  if (CONTROL_CHARACTERS.test(name) || !name.isWellFormed()) {
    throw refusal(`${field}: holds a control character or half of a pair`);
  }
  return name;
}
