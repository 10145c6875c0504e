/** Holds every answer that a test gets from the service to the OpenAPI document. */
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import type { OpenApi, Operation } from "../../src/api/reference/document.ts";
import type { Route } from "../../src/api/http/server/call.ts";
import { createRouter } from "../../src/api/http/server/router.ts";
import { openApiOf } from "../../src/api/reference/openapi.ts";
import { shownPath } from "../../src/api/reference/path-parameters.ts";
import { DOCUMENTED_GROUPS, ROUTES } from "../../src/api/routes.ts";
import type { CallAnswer } from "./http-call.ts";

const router = createRouter([...ROUTES, ...CONSOLE_ROUTES]);

/** Fails when an answer has a status, a field or a type that the document does not have. */
export function requireDocumented(method: string, target: string, answer: CallAnswer): void {
  const route = method === "HEAD" ? null : routeOf(method, target);
  if (route === null) return;
  const found = find(document(), route);
  const name = `${method} ${target} ${answer.status}`;
  const where = responsePointer(found, answer.status);
  assert.ok(where !== null, `${name}: the status is not documented`);
  const response = resolve(document(), where) as { content?: Record<string, unknown> };
  const type = Object.keys(response.content ?? {})[0];
  if (type === undefined) {
    assert.equal(answer.text, "", `${name}: a body is not documented`);
  } else if (type === "application/json") {
    const validate = validator(`${where}/content/application~1json/schema`);
    const isValid = validate(JSON.parse(answer.text));
    assert.ok(
      isValid,
      `${name}: ${JSON.stringify(validate.errors)} ${answer.text.slice(0, 2_000)}`,
    );
  } else {
    assert.ok(String(answer.headers["content-type"]).startsWith(type), name);
  }
}

interface Found {
  readonly pointer: string;
  readonly operation: Operation;
}

/** Null where no route answers: an unknown path, another method, or a path that is no path. */
function routeOf(method: string, target: string): Route | null {
  try {
    const match = router(method, target);
    return match.kind === "route" ? match.route : null;
  } catch {
    return null;
  }
}

function form(path: string): string {
  return shownPath(path).replace(/\{\w+\}/g, "{}");
}

function find({ paths }: OpenApi, { method, path }: Route): Found {
  const wanted = form(path.replace("/v2/qstash/", "/v2/svc/"));
  const known = Object.keys(paths).find((one) => form(one) === wanted);
  const verb = method === "ANY" ? "post" : method.toLowerCase();
  const operation = known === undefined ? undefined : paths[known]?.[verb];
  assert.ok(operation !== undefined, `${method} ${path} is not documented`);
  return { pointer: `/paths/${escaped(known!)}/${verb}`, operation };
}

function responsePointer({ pointer, operation }: Found, status: number): string | null {
  const response = operation.responses[status];
  if (response === undefined) return null;
  return "$ref" in response ? response.$ref.slice(1) : `${pointer}/responses/${status}`;
}

function resolve(value: unknown, pointer: string): unknown {
  const names = pointer.split("/").slice(1);
  return names.reduce(
    (at, name) => (at as Record<string, unknown>)[name.replaceAll("~1", "/").replaceAll("~0", "~")],
    value,
  );
}

function escaped(text: string): string {
  return text.replaceAll("~", "~0").replaceAll("/", "~1");
}

let made: OpenApi | undefined;
const document = (): OpenApi => (made ??= openApiOf(DOCUMENTED_GROUPS, "0.0.0"));

let ajv: Ajv2020 | undefined;
const validators = new Map<string, ValidateFunction>();

function validator(pointer: string): ValidateFunction {
  ajv ??= new Ajv2020({ strict: false }).addSchema(closed(document()) as object, "openapi");
  const kept = validators.get(pointer);
  if (kept !== undefined) return kept;
  const compiled = ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` });
  validators.set(pointer, compiled);
  return compiled;
}

/** The same with every object closed, so that a field which is not documented fails. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, closed(member)]),
  );
  const isOpen = "properties" in value && !("additionalProperties" in value);
  return isOpen ? { ...members, additionalProperties: false } : members;
}
