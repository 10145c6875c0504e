import type { HeaderList } from "../../core/model/message/message.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import type { Endpoint, EndpointChoice, UrlGroup } from "../../core/model/url-group/url-group.ts";
import { headerRecord } from "../../core/policy/headers/header-name.ts";
import { headerDialect } from "../headers/header-kind.ts";
import { headerObject, readHeaderObject } from "../headers/header-object.ts";
import { describesContent } from "../headers/header-reading.ts";
import { misspelledPrefix } from "../headers/misspelled-header.ts";
import { shownName } from "../../core/shown-name.ts";
import { invalidRequest, prefixErrors } from "../headers/header-value.ts";
import { rawHeadersOf } from "../headers/header-text.ts";
import { bodyReader } from "../json/schema-reader.ts";
import {
  closedObject,
  headers as headersOf,
  instant,
  list,
  object,
  orNull,
  refusedAs,
  type Schema,
  text,
  type TypeOf,
  withKeywords,
} from "../json/schema.ts";
import { type PublishDefaults, readPublishOptions } from "../message/publish.ts";

/** More than the longest URL and the longest name for every endpoint. */
export const URL_GROUP_BODY_BYTES_MAX = 10 * 1024 * 1024;

const ENDPOINT_URL = text("Where messages go.", "https://example.com/hook");
const ENDPOINT_NAME = text("A name to find it by.", "billing");
/** Clients send null or an empty text for a name that they do not have. */
const GIVEN_NAME = refusedAs(
  "must be at most 128 characters, without control characters and halves of pairs",
  withKeywords(orNull(ENDPOINT_NAME), { maxLength: 128, pattern: "^[^\\p{Cc}\\p{Cs}]*$" }),
);

export const URL_GROUP = object(
  "UrlGroup",
  {
    name: text("Its name.", "orders"),
    endpoints: list(
      object("Endpoint", { url: ENDPOINT_URL }, { name: ENDPOINT_NAME }),
      "In the order in which they were added.",
    ),
    createdAt: instant("When it was created."),
    updatedAt: instant("When it was last changed."),
  },
  { headers: headersOf("Default headers of messages to the group.") },
);

export const URL_GROUPS = list(URL_GROUP);

export const ENDPOINTS_REQUEST = requestOf(
  closedObject({ url: ENDPOINT_URL }, { name: GIVEN_NAME }),
);

export const ENDPOINTS_TO_REMOVE = requestOf(
  closedObject({}, { url: orNull(ENDPOINT_URL), name: GIVEN_NAME }),
  "Each by its URL, its name, or both.",
);

export const DEFAULT_HEADERS = closedObject({
  headers: headerObject("Headers of a publish, each with a text or a list of texts."),
});

function requestOf<Given>(endpoint: Schema<Given>, description?: string) {
  const endpoints = withKeywords(list(endpoint, description), { minItems: 1, maxItems: 1_000 });
  return refusedAs("must be an object with the member endpoints", closedObject({ endpoints }));
}

const readAdded = bodyReader(ENDPOINTS_REQUEST, URL_GROUP_BODY_BYTES_MAX);
const readRemoved = bodyReader(ENDPOINTS_TO_REMOVE, URL_GROUP_BODY_BYTES_MAX);
const readHeaders = bodyReader(DEFAULT_HEADERS, URL_GROUP_BODY_BYTES_MAX);

export function urlGroupJson({
  name,
  endpoints,
  headers,
  createdAt,
  updatedAt,
}: UrlGroup): TypeOf<typeof URL_GROUP> {
  return { name, endpoints, headers: headerRecord(headers), createdAt, updatedAt };
}

/** The egress policy is checked elsewhere. */
export function readEndpoints(body: Uint8Array): Endpoint[] {
  const { endpoints } = readAdded(body);
  return endpoints.map(({ url, name }) => ({ url, name: name || undefined }));
}

/** The endpoints to remove, each by its URL, its name, or both. */
export function readEndpointsToRemove(body: Uint8Array): EndpointChoice[] {
  const { endpoints } = readRemoved(body);
  return endpoints.map(({ url, name }, index) => {
    if (!url && !name) throw invalidRequest(`endpoints[${index}]: must have a url or a name`);
    return { url: url || undefined, name: name || undefined };
  });
}

/**
 * `{"headers": {"<name>": "<value>" or ["<value>", ...]}}`: refused like the headers of a publish,
 * so that the caller learns of a mistake before the next message.
 */
export function readDefaultHeaders(body: Uint8Array, defaults: PublishDefaults): DefaultHeaders {
  const { headers: given } = readHeaders(body);
  const headers = readHeaderObject(given);
  for (const [name] of headers) {
    if (headerDialect(name) === null && !describesContent(name)) {
      const problem = misspelledPrefix(name);
      if (problem !== null) throw invalidRequest(`headers: ${problem}`);
      throw invalidRequest(`headers: ${shownName(name)} is not a header of this service`);
    }
  }
  const read = () => readPublishOptions(rawHeadersOf(headers), [], defaults);
  return { headers, options: prefixErrors("headers", read) };
}

export interface DefaultHeaders {
  readonly headers: HeaderList;
  /** What they mean for a message. */
  readonly options: PublishOptions;
}
