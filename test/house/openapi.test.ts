/** The OpenAPI document is valid, and says something of each row of the tables. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
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

test("it is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  const { valid, errors } = await validator.validate(copy);
  assert.ok(valid, JSON.stringify(errors, null, 2));
  assert.equal(validator.version, "3.1");
  assert.equal(document.info.version, "1.2.3");
});

test("the validator finds a mistake", async () => {
  const broken = { ...document, paths: { "/x": { get: { responses: 7 } } } };
  const { valid } = await new Validator().validate(broken);
  assert.equal(valid, false);
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
  for (const code of Object.keys(PROBLEMS)) {
    assert.ok(
      told.some((text) => text.includes(`\`${code}\``)),
      code,
    );
  }
});

test("only open routes need no credentials", () => {
  for (const { path, operation } of operations) {
    const row = rows.find(({ route }) => shownPath(route.path) === (operation["x-path"] ?? path))!;
    assert.equal(operation.security.length === 0, row.route.needs === "open", path);
  }
});
