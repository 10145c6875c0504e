/** What `/docs` shows is in the document, can be found, and can be called. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contentsOf,
  featureId,
  headerId,
  operationsOf,
  schemaId,
  searched,
  viewOf,
} from "../../dashboard/src/reference/contents.ts";
import type { OpenApi } from "../../dashboard/src/reference/document.ts";
import { curlOf, exampleOf } from "../../dashboard/src/reference/examples.ts";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { createRouter } from "../../src/api/http/server/router.ts";
import { openApiOf } from "../../src/api/reference/openapi.ts";
import { DOCUMENTED_GROUPS, ROUTES } from "../../src/api/routes.ts";

const document = JSON.parse(JSON.stringify(openApiOf(DOCUMENTED_GROUPS, "1.2.3"))) as OpenApi;
const operations = operationsOf(document);
const contents = contentsOf(document);
const found = (text: string): string[] =>
  searched(contents, text).flatMap(({ entries }) => entries.map(({ name }) => name));

test("each endpoint, header and schema is an entry of its own, with one id", () => {
  const ids = contents.flatMap(({ entries }) => entries.map(({ id }) => id));
  assert.deepEqual(ids, [...new Set(ids)]);
  const { parameters, schemas } = document.components;
  const expected = [
    ...operations.map(({ operation }) => operation.operationId),
    ...Object.keys(parameters).map(headerId),
    ...Object.keys(schemas).map(schemaId),
  ];
  assert.ok(expected.length > 200);
  assert.deepEqual(
    expected.filter((id) => !ids.includes(id)),
    [],
  );
});

test("every hash shows what it names, and an unknown one the introduction", () => {
  for (const listed of operations) {
    assert.deepEqual(viewOf(listed.operation.operationId, document), { kind: "operation", listed });
  }
  for (const { name } of document.tags) {
    assert.deepEqual(viewOf(featureId(name), document), { kind: "feature", name });
  }
  assert.deepEqual(viewOf("schema-LogEntry", document), { kind: "schema", name: "LogEntry" });
  for (const [hash, kind] of Object.entries({
    "": "introduction",
    introduction: "introduction",
    "no-such-thing": "introduction",
    headers: "headers",
    "header-svc-delay": "headers",
    refusals: "refusals",
    "refused-429": "refusals",
    schemas: "schemas",
  })) {
    assert.deepEqual(viewOf(hash, document), { kind }, hash);
  }
});

test("a search finds by every word, in any case: names, paths, parameters, members", () => {
  assert.deepEqual(found("PAUSE /v2/queues/{queueName}/p"), ["Pause a queue"]);
  assert.ok(found("svc-delay").includes("Svc-Delay"));
  assert.ok(found("attemptDurationMs").includes("LogEntry"));
  assert.ok(found("fromDate").includes("List dead letters"));
  assert.deepEqual(found("no-such-thing"), []);
});

test("without a search, headers and older names are not listed", () => {
  const listed = found("");
  assert.ok(!listed.includes("Svc-Delay"));
  assert.equal(listed.filter((name) => name === "Pause a schedule").length, 1);
  assert.equal(found("pause a schedule").filter((name) => name === "Pause a schedule").length, 3);
});

test("each command calls an endpoint", () => {
  const router = createRouter([...ROUTES, ...CONSOLE_ROUTES]);
  assert.ok(operations.length > 100);
  for (const { method, path, operation } of operations) {
    const command = curlOf(method, path, operation, document);
    const [, called = "GET", url] =
      /^curl (?:-G )?(?:-X ([A-Z]+))?[\s\\]*"\$POSTRIDER_URL([^"]+)"/.exec(command) ?? [];
    assert.equal(router(called, url!).kind, "route", command);
  }
});

test("each schema has an example with its required members, but for older names", () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const example = exampleOf(schema, document) as object;
    const missing = (schema.required ?? []).filter((member) => !(member in example));
    const isOlder = (member: string): boolean =>
      schema.properties?.[member]?.description?.startsWith("Older name") === true;
    assert.ok(missing.every(isOlder), `${name}: ${missing.join()}`);
  }
});
