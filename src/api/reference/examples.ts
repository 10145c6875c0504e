import type { OpenApi, Operation, Parameter, Reference } from "./document.ts";

type SchemaObject = Readonly<Record<string, unknown>>;

/** An example of a value, made from its schema. */
export function exampleOf(schema: unknown, document: OpenApi): unknown {
  const known = resolved(schema as SchemaObject, document);
  const [given] = (known["examples"] as readonly unknown[] | undefined) ?? [];
  if (given !== undefined) return given;
  if ("const" in known) return known["const"];
  if ("anyOf" in known) return exampleOf((known["anyOf"] as readonly unknown[])[0], document);
  if ("enum" in known) return (known["enum"] as readonly unknown[])[0];
  const type = Array.isArray(known["type"]) ? (known["type"] as unknown[])[0] : known["type"];
  if (type === "array") return [exampleOf(known["items"], document)];
  if (type === "object") return exampleObject(known, document);
  return SIMPLE[String(type)] ?? null;
}

/** Required members, and those whose example tells something. Older names are left out. */
function exampleObject(schema: SchemaObject, document: OpenApi): unknown {
  const members = Object.entries((schema["properties"] ?? {}) as Record<string, SchemaObject>);
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const shown = members.filter(([name, member]) => {
    const { description } = member;
    const isOlder = typeof description === "string" && description.startsWith("Older name");
    return !isOlder && (required.has(name) || "examples" in member);
  });
  const entries = shown.map(([name, member]) => [name, exampleOf(member, document)]);
  return Object.fromEntries(entries) as unknown;
}

export function resolved(schema: SchemaObject, { components }: OpenApi): SchemaObject {
  const { $ref } = schema;
  if (typeof $ref !== "string") return schema;
  return components.schemas[$ref.slice("#/components/schemas/".length)] as SchemaObject;
}

export function resolvedParameter(one: Parameter | Reference, { components }: OpenApi): Parameter {
  if (!("$ref" in one)) return one;
  return components.parameters[one.$ref.slice("#/components/parameters/".length)]!;
}

/** A command that calls the operation, for a shell with the two variables of the guides. */
export function curlOf(
  method: string,
  path: string,
  operation: Operation,
  document: OpenApi,
): string {
  const parameters = operation.parameters.map((one) => resolvedParameter(one, document));
  const inPath = parameters.filter((one) => one.in === "path").map(({ example }) => example);
  const examples = inPath.values();
  const filled = path.replace(/\{\w+\}/g, () => String(examples.next().value));
  const required = parameters.filter((one) => one.required === true && one.in !== "path");
  const lines = [
    ...(method === "get" ? [] : [`-X ${method.toUpperCase()}`]),
    `"$POSTRIDER_URL${filled}"`,
    ...credentials(operation),
    ...required.map((one) => option(one, document)),
    ...bodyOptions(operation, document),
  ];
  const isQuery = required.some((one) => one.in === "query");
  const [first = "", second = "", ...rest] = lines;
  // The method and a short URL share a line.
  const isShort = method !== "get" && first.length + second.length <= FIRST_LINE_MAX;
  const joined = isShort ? [`${first} ${second}`, ...rest] : lines;
  return `curl ${isQuery ? "-G " : ""}${joined.join(" \\\n  ")}`;
}

function credentials({ security }: Operation): string[] {
  const [scheme] = security;
  if (scheme === undefined) return [];
  return "token" in scheme
    ? ['-H "Authorization: Bearer $POSTRIDER_TOKEN"']
    : ['-u "admin:$POSTRIDER_ADMIN_PASSWORD"'];
}

function option(parameter: Parameter, document: OpenApi): string {
  const value = String(exampleOf(parameter.schema, document));
  return parameter.in === "query"
    ? `--data-urlencode '${parameter.name}=${value}'`
    : `-H '${parameter.name}: ${value}'`;
}

function bodyOptions({ requestBody }: Operation, document: OpenApi): string[] {
  const [content] = Object.values(requestBody?.content ?? {});
  if (content === undefined) return [];
  const example = content.example ?? exampleOf(content.schema, document);
  const text = JSON.stringify(example);
  // Filters, which may all be left out.
  if (text === "{}") return [];
  return ["-H 'Content-Type: application/json'", `-d '${text.replaceAll("'", "'\\''")}'`];
}

const FIRST_LINE_MAX = 48;
const SIMPLE: Readonly<Record<string, unknown>> = {
  string: "",
  integer: 0,
  number: 0,
  boolean: false,
};
