/** A linter accepts the OpenAPI document, and it says something of each row of the tables. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { openApiOf } from "../../src/api/reference/openapi.ts";
import {
  parametersIn,
  PATH_PARAMETERS,
  shownPath,
} from "../../src/api/reference/path-parameters.ts";
import { DOCUMENTED_GROUPS } from "../../src/api/routes.ts";
import { PROBLEMS } from "../../src/core/problem.ts";
import { HEADERS } from "../../src/wire/headers/header.ts";

const document = openApiOf(DOCUMENTED_GROUPS, "1.2.3");
const rows = DOCUMENTED_GROUPS.flatMap(({ name, routes }) =>
  routes.map((route) => ({ tag: name, route })),
);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

test("a linter finds nothing in it, and finds what is planted", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const lint = async (source: unknown): Promise<string[]> => {
    const found = await lintFromString({ source: JSON.stringify(source), config });
    return found.map(({ ruleId, message, location }) => {
      return `${ruleId} at ${location[0]?.pointer}: ${message}`;
    });
  };
  assert.deepEqual(await lint(document), []);
  assert.equal(document.info.version, "1.2.3");
  const unlike = { "/x": { get: { operationId: "x", responses: 7 } } };
  const [path, item] = Object.entries(document.paths)[0]!;
  const twice = { [path]: item, [`${path}/`]: item };
  const unknown = { ...document.components, responses: {} };
  const rulesOf = async (planted: object): Promise<Set<string>> =>
    new Set((await lint({ ...document, ...planted })).map((line) => line.split(" ")[0]!));
  assert.ok((await rulesOf({ paths: unlike })).has("struct"));
  assert.ok((await rulesOf({ paths: twice })).has("operation-operationId-unique"));
  assert.ok((await rulesOf({ components: unknown })).has("no-unresolved-refs"));
});

test("each route is there once, under its feature", () => {
  const described = operations.map(({ path, method, operation }) =>
    [operation.tags.join(), method, operation["x-path"] ?? path].join(" "),
  );
  const expected = rows.map(({ tag, route }) => {
    const method = route.method === "ANY" ? "post" : route.method.toLowerCase();
    return [tag, method, shownPath(route.path)].join(" ");
  });
  assert.ok(expected.length > 100);
  assert.deepEqual(described.toSorted(), expected.toSorted());
});

test("no two templates differ in names alone", () => {
  const forms = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, "{}"));
  assert.deepEqual(forms, [...new Set(forms)]);
});

test("each route has a title and says what it answers", () => {
  const wanting = rows.filter(({ route }) => !route.title || route.answers === undefined);
  assert.deepEqual(
    wanting.map(({ route }) => `${route.method} ${route.path}`),
    [],
  );
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.deepEqual(ids, [...new Set(ids)]);
});

test("each part of a path is explained, and each explanation is of one", () => {
  const names = new Set(rows.flatMap(({ route }) => parametersIn(route.path)));
  assert.deepEqual(Object.keys(PATH_PARAMETERS).toSorted(), [...names].toSorted());
});

test("each filter is documented under one of its names", () => {
  for (const { route } of rows) {
    const documented = (route.query ?? []).filter(({ says }) => says !== undefined);
    const fields = documented.map(({ field }) => field);
    assert.deepEqual(fields, [...new Set(fields)], `${route.method} ${route.path}`);
    const known = new Set(fields);
    const missing = (route.query ?? []).filter(
      ({ field, splits }) => !known.has(field) && splits !== "ignored" && splits !== "refused",
    );
    assert.deepEqual(missing, [], `${route.method} ${route.path}`);
  }
});

test("each header of a publish is a parameter of it, and each problem is explained", () => {
  const { operation } = operations.find(
    ({ operation: { operationId } }) => operationId === "publishMessage",
  )!;
  const references = operation.parameters.flatMap((one) => ("$ref" in one ? [one.$ref] : []));
  const names = HEADERS.filter(({ calls }) => calls.includes("publish")).map(({ name }) => name);
  assert.deepEqual(
    references,
    names.map((name) => `#/components/parameters/Svc-${name}`),
  );
  const told = Object.values(document.components.responses).map(({ description }) => description);
  told.push(String(document.info["description"]));
  for (const code of Object.keys(PROBLEMS)) {
    assert.ok(
      told.some((text) => text.includes(`\`${code}\``)),
      code,
    );
  }
});

test("each schema says of what kind its values are", () => {
  const found = schemasIn(document, "");
  assert.ok(found.length > 500);
  const wanting = found.filter(([, schema]) => !KINDS.some((keyword) => keyword in schema));
  const names = wanting.map(([path]) => path.split("/").at(-1)!);
  // A wait takes its time in two spellings, and keeps any JSON.
  assert.deepEqual([...new Set(names)].toSorted(), ["timeout", "timeoutBody"]);
});

const KINDS = ["type", "$ref", "anyOf", "enum", "const"];

/** Every schema below a value, with where it stands. */
function schemasIn(value: unknown, path: string): [string, object][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]): [string, object][] => {
    if (name === "examples" || name === "example") return [];
    const at = `${path}/${name}`;
    const nested = schemasIn(each, at);
    const isSchema = /\/(schema|schemas\/[^/]+|items|anyOf\/\d+|properties\/[^/]+)$/.test(at);
    return isSchema ? [[at, each as object], ...nested] : nested;
  });
}

test("what a request must give, and how much it may, is in the document", () => {
  const { parameters } = document.paths["/v2/cron/preview"]!["get"]!;
  const cron = parameters.find((one) => "name" in one && one.name === "cron");
  assert.ok(cron !== undefined && "required" in cron && cron.required);
  for (const path of ["/v2/batch", "/v2/batch/trigger"]) {
    const { requestBody } = document.paths[path]!["post"]!;
    assert.match(JSON.stringify(requestBody), /"maxItems":1000/, path);
  }
});

test("each header with a URL shows one", () => {
  const urls = HEADERS.filter(({ isUrl }) => isUrl === true);
  assert.ok(urls.length > 1);
  for (const { name, value } of urls) assert.match(String(value?.["examples"]), /^https:/, name);
});

test("only open routes need no credentials", () => {
  for (const { path, operation } of operations) {
    const row = rows.find(({ route }) => shownPath(route.path) === (operation["x-path"] ?? path))!;
    assert.equal(operation.security.length === 0, row.route.needs === "open", path);
  }
});
