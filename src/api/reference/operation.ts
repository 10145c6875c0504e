import { STATUS_CODES } from "node:http";
import { type ProblemScope, PROBLEMS } from "../../core/problem.ts";
import type { ParameterRow } from "../../wire/filters/filter-parameters.ts";
import { HEADER_FAMILIES, HEADERS } from "../../wire/headers/header.ts";
import { type Schema, text } from "../../wire/json/schema.ts";
import { WORKFLOW_HEADERS } from "../../wire/workflow/workflow-headers.ts";
import type { RouteFacts } from "../http/server/call.ts";
import type { Operation, Parameter, Reference, RequestBody, Response } from "./document.ts";
import { parametersIn, PATH_PARAMETERS, shownPath } from "./path-parameters.ts";
import type { SharedSchemas } from "./shared-schemas.ts";

/** What the reference says of a route, whatever its handler. */
export type DocumentedRoute = RouteFacts & { readonly needs: string };

/** A route as an operation at a path, whose parts may have other names than those of the route. */
export function operationOf(
  route: DocumentedRoute,
  tag: string,
  path: string,
  schemas: SharedSchemas,
): Operation {
  const shown = shownPath(route.path);
  return {
    operationId: operationId(route),
    tags: [tag],
    summary: route.title ?? route.says,
    description: descriptionOf(route),
    ...(route.isOlder === true ? { deprecated: true } : {}),
    security: securityOf(route),
    parameters: [
      ...pathParameters(route.path, path),
      ...(route.query ?? []).flatMap((row) => queryParameter(row, schemas)),
      ...headerParameters(route),
    ],
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, schemas) }),
    responses: { ...problems(route), ...answers(route, schemas) },
    ...(shown === path ? {} : { "x-path": shown }),
  };
}

/** Every header that a request can have, by its name in the `Svc-` dialect. */
export function sharedParameters(): Record<string, Parameter> {
  const rows = [...HEADERS, ...RUN_HEADERS].map(({ name, says, ...row }): [string, Parameter] => {
    const { value = text(), isRequired } = row as { value?: Schema; isRequired?: boolean };
    return [
      `Svc-${name}`,
      {
        name: `Svc-${name}`,
        in: "header",
        description: says,
        ...(isRequired === true ? { required: true } : {}),
        schema: value,
      },
    ];
  });
  return Object.fromEntries(rows);
}

/** The name under which the refusals of a status are shared. */
export function refusalName(status: number | string): string {
  return `Refused${status}`;
}

/** `List URL groups` as `listUrlGroups`; the methods of older clients have theirs in front. */
function operationId({ method, title = "", isOlder }: DocumentedRoute): string {
  const words = title.split(/[ -]/).filter((word) => !ARTICLES.has(word));
  const own = isOlder === true ? [method, ...words] : words;
  return own
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join("")
    .replace(/^./, (letter) => letter.toLowerCase());
}

function descriptionOf({ method, says, headers }: DocumentedRoute): string {
  const parts = [says];
  if (method === "ANY") parts.push("Any method is accepted.");
  if (headers !== undefined) {
    parts.push(
      "Headers may have the prefix `Svc-` or `Upstash-`. These have open names:",
      HEADER_FAMILIES.map((family) => `- \`Svc-${family.name}\`: ${family.says}`).join("\n"),
    );
  }
  return parts.join("\n\n");
}

function securityOf({ needs }: DocumentedRoute): Operation["security"] {
  if (needs === "open") return [];
  return needs === "read" || needs === "write" || needs === "owner"
    ? [{ token: [] }, { session: [] }]
    : [{ console: [] }, { session: [] }];
}

function pathParameters(routePath: string, path: string): Parameter[] {
  const names = parametersIn(path);
  return parametersIn(routePath).map((name, index) => {
    const { says, example } = PATH_PARAMETERS[name]!;
    const schema = { type: "string" };
    return { name: names[index]!, in: "path", description: says, required: true, schema, example };
  });
}

function queryParameter(row: ParameterRow, schemas: SharedSchemas): Parameter[] {
  const { name, splits, says, value = text(), isRequired } = row;
  if (says === undefined) return [];
  const isList = splits === "everywhere" || splits === "bare" || splits === "urls";
  const schema = schemas.share(isList ? { type: "array", items: value } : value);
  return [
    {
      name,
      in: "query",
      description: says,
      ...(isRequired === true ? { required: true } : {}),
      ...(isList ? { style: "form", explode: false } : {}),
      schema,
    },
  ];
}

function headerParameters({ headers: call }: DocumentedRoute): Reference[] {
  if (call === undefined) return [];
  const names = HEADERS.filter(({ calls }) => calls.includes(call)).map(({ name }) => name);
  const own = call === "trigger" ? RUN_HEADERS.map(({ name }) => name) : [];
  return [...names, ...own].map((name) => ({ $ref: `#/components/parameters/Svc-${name}` }));
}

function requestBody(body: Schema | "bytes", schemas: SharedSchemas): RequestBody {
  if (body === "bytes") {
    const content = { "*/*": { example: { hello: "world" } } };
    return { description: "Any bytes. They are passed on unchanged.", required: false, content };
  }
  const required = body["required"] !== undefined || body["type"] === "array";
  return { required, content: { "application/json": { schema: schemas.share(body) } } };
}

function answers(route: DocumentedRoute, schemas: SharedSchemas): Record<string, Response> {
  const entries = Object.entries(route.answers ?? {}).map(
    ([status, schema]): [string, Response] => {
      const description = status === "202" ? "A duplicate: nothing is sent" : STATUS_CODES[status]!;
      if (schema === null) return [status, { description: `${description}. The body is empty.` }];
      const { contentMediaType } = schema;
      const type = typeof contentMediaType === "string" ? contentMediaType : "application/json";
      const content = { [type]: { schema: schemas.share(schema) } };
      return [status, { description: `${description}.`, content }];
    },
  );
  return Object.fromEntries(entries);
}

function problems(route: DocumentedRoute): Record<string, Reference> {
  const scopes = scopesOf(route);
  const statuses = Object.values(PROBLEMS)
    .filter(({ of }) => scopes.has(of))
    .map(({ status }) => status);
  const sorted = [...new Set(statuses)].toSorted((one, other) => one - other);
  return Object.fromEntries(
    sorted.map((status) => [
      String(status),
      { $ref: `#/components/responses/${refusalName(status)}` },
    ]),
  );
}

function scopesOf({ needs, path, body, publishes }: DocumentedRoute): Set<ProblemScope> {
  const scopes = new Set<ProblemScope>(["any"]);
  if (needs !== "open") scopes.add("credentials");
  if (needs !== "open" && needs !== "read") scopes.add("write").add("name");
  if (parametersIn(path).length > 0) scopes.add("name");
  if (body !== undefined) scopes.add("body");
  if (publishes === true) scopes.add("publish");
  if (path === "/dev/clock" && needs === "write") scopes.add("clock");
  return scopes;
}

const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);
/** The only header of a run that a person sends. */
const RUN_HEADERS = WORKFLOW_HEADERS.filter(({ name }) => name === "Workflow-RunId");
