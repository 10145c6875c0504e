import { STATUS_CODES } from "node:http";
import { PROBLEMS } from "../../core/problem.ts";
import { DELIVERY_HEADERS } from "../../delivery/http/outbound-request.ts";
import { SESSION_COOKIE } from "../../wire/account/session.ts";
import { PROBLEM } from "../../wire/problem-schema.ts";
import type { Components, OpenApi, Operation, Response } from "./document.ts";
import { type DocumentedRoute, operationOf, refusalName, sharedParameters } from "./operation.ts";
import { shownPath } from "./path-parameters.ts";
import { SharedSchemas } from "./shared-schemas.ts";

/** The routes of one feature, without their handlers. */
export interface DocumentedGroup {
  readonly name: string;
  readonly says: string;
  readonly routes: readonly DocumentedRoute[];
}

/** The OpenAPI document of these routes, made from the tables that the service goes by. */
export function openApiOf(groups: readonly DocumentedGroup[], version: string): OpenApi {
  const schemas = new SharedSchemas();
  const paths = pathsOf(groups, schemas);
  const responses = refusals(schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Postrider",
      version,
      summary: "Durable HTTP messages, schedules and workflows.",
      description: INTRODUCTION,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: groups.map(({ name, says }) => ({ name, description: says })),
    paths,
    webhooks: { delivery: delivery() },
    components: {
      schemas: schemas.all,
      parameters: sharedParameters(),
      responses,
      securitySchemes: SECURITY,
    },
  };
}

/** Two templates that differ only in names are one path, which takes the names of the first. */
function pathsOf(groups: readonly DocumentedGroup[], schemas: SharedSchemas): OpenApi["paths"] {
  const namedByForm = new Map<string, string>();
  const paths = new Map<string, Record<string, Operation>>();
  for (const { name: tag, routes } of groups) {
    for (const route of routes) {
      const shown = shownPath(route.path);
      const form = shown.replace(/\{\w+\}/g, "{}");
      const path = namedByForm.get(form) ?? shown;
      namedByForm.set(form, path);
      const method = route.method === "ANY" ? "post" : route.method.toLowerCase();
      const item = paths.get(path) ?? {};
      if (item[method] !== undefined) throw new Error(`${method} ${path} is there twice`);
      item[method] = operationOf(route, tag, path, schemas);
      paths.set(path, item);
    }
  }
  return Object.fromEntries(paths);
}

function refusals(schemas: SharedSchemas): Components["responses"] {
  const schema = schemas.share(PROBLEM);
  const ofOperations = Object.values(PROBLEMS).filter(({ of }) => of !== "path");
  const statuses = new Set(ofOperations.map(({ status }) => status));
  const entries = Array.from(statuses, (status): [string, Response] => {
    const rows = Object.entries(PROBLEMS).filter(([, row]) => row.status === status);
    const lines = rows.map(([code, row]) => {
      const hint = "hint" in row ? ` Hint: ${row.hint}.` : "";
      return `- \`${code}\`: ${row.says}${hint}`;
    });
    return [
      refusalName(status),
      {
        description: `${STATUS_CODES[status]}.\n\n${lines.join("\n")}`,
        content: { "application/json": { schema } },
      },
    ];
  });
  return Object.fromEntries(entries);
}

function delivery(): unknown {
  const parameters = DELIVERY_HEADERS.map(({ name, says }) => ({
    name: `Svc-${name}`,
    in: "header",
    description: says,
    schema: { type: "string" },
  }));
  return {
    post: {
      operationId: "delivery",
      summary: "A message arrives at your destination",
      security: [],
      description:
        "Postrider sends the method, headers and body of the publisher, and these headers. The prefix is the one that the publisher used; without one, all of them are sent with `Svc-` and with `Upstash-`.",
      parameters,
      requestBody: { description: "The bytes that were published.", content: { "*/*": {} } },
      responses: {
        "2XX": { description: "The message is delivered." },
        default: { description: "The attempt failed. It is retried." },
      },
    },
  };
}

/** Refusals of a path that is no operation's. */
const OF_PATHS = Object.entries(PROBLEMS)
  .filter(([, { of }]) => of === "path")
  .map(([code, { status, says }]) => `- ${status}, \`${code}\`: ${says}`);

const INTRODUCTION = [
  "Send the token of your account as `Authorization: Bearer <token>`. A read-only token may only read. The console takes Basic auth: the name and password of the operator, or the `customer_id` and password of an account for its own data. Console paths work under `/v2/qstash` too.",
  'Every refusal is `{"error": "<sentence>", "code": "<code>"}`, and nothing was stored. `field` names the header, the parameter, or the part of the path or body that is wrong.',
  OF_PATHS.join("\n"),
  "Headers may be sent as query parameters, in lower case: `svc-retries=3`.",
].join("\n\n");

const SECURITY = {
  token: { type: "http", scheme: "bearer", description: "The token of an account." },
  console: { type: "http", scheme: "basic", description: "The operator, or an account." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: SESSION_COOKIE,
    description: "The session of a browser that has signed in.",
  },
};
