import { inlineObject, headers, instant, list, object, text } from "../json/schema.ts";

/** The answers about URL groups. A test holds them to real answers. */

const ENDPOINT_URL = text("Where messages go.", "https://example.com/hook");
const ENDPOINT_NAME = text("A name to find it by.", "billing");
const ENDPOINT = object("Endpoint", { url: ENDPOINT_URL }, { name: ENDPOINT_NAME });

export const URL_GROUP = object(
  "UrlGroup",
  {
    name: text("Its name.", "orders"),
    endpoints: list(ENDPOINT, "In the order in which they were added."),
    createdAt: instant("When it was created."),
    updatedAt: instant("When it was last changed."),
  },
  { headers: headers("Default headers of messages to the group.") },
);

export const URL_GROUPS = list(URL_GROUP);

export const ENDPOINTS_REQUEST = inlineObject({
  endpoints: { ...list(ENDPOINT), minItems: 1, maxItems: 1_000 },
});

export const ENDPOINTS_TO_REMOVE = inlineObject({
  endpoints: {
    ...list(
      inlineObject({}, { url: ENDPOINT_URL, name: ENDPOINT_NAME }),
      "Each by its URL, its name, or both.",
    ),
    minItems: 1,
    maxItems: 1_000,
  },
});

export const DEFAULT_HEADERS = inlineObject({
  headers: {
    type: "object",
    description: "Headers of a publish, each with a text or a list of texts.",
    additionalProperties: { type: ["string", "array"], items: { type: "string" } },
    examples: [{ "Svc-Retries": "5" }],
  },
});
