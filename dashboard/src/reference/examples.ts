/** Examples made from the OpenAPI document: values of a schema, and commands that call an operation. */
import {
  type OpenApi,
  type Operation,
  type Parameter,
  resolved,
  resolvedParameter,
  type Schema,
} from "./document.ts";

export function exampleOf(schema: Schema, document: OpenApi): unknown {
  const known = resolved(schema, document);
  const [given] = known.examples ?? [];
  if (given !== undefined) return given;
  if ("const" in known) return known.const;
  if (known.anyOf !== undefined) return exampleOf(known.anyOf[0]!, document);
  if (known.enum !== undefined) return known.enum[0];
  const [type] = [known.type ?? ""].flat();
  if (type === "array") return [exampleOf(known.items ?? {}, document)];
  if (type === "object") return exampleObject(known, document);
  return SIMPLE[type!] ?? null;
}

/** Required members, and those whose example tells something. Older names are left out. */
function exampleObject({ properties = {}, required = [] }: Schema, document: OpenApi): unknown {
  const shown = Object.entries(properties).filter(([name, { description, examples }]) => {
    const isOlder = description?.startsWith("Older name") === true;
    return !isOlder && (required.includes(name) || examples !== undefined);
  });
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleOf(member, document)]));
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
  const example = content.example ?? exampleOf(content.schema ?? {}, document);
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
