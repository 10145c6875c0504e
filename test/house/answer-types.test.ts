/** What the service answers, the OpenAPI document, and the types that clients have, are the same. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requireDocumented } from "../support/documented-answers.ts";
import type { CallAnswer } from "../support/http-call.ts";
import { ANSWER_FILES, EXTENDED, UNREAD } from "./answer-files.ts";
import { openApiOf } from "../../src/api/reference/openapi.ts";
import { DOCUMENTED_GROUPS } from "../../src/api/routes.ts";
import { declaredAnswers } from "./declared-answers.ts";
import { answerTypes, componentSchemas, type Schemas } from "./answer-types.ts";
import { readSources, ROOT } from "./sources.ts";

const schemas = componentSchemas();

test("the types of answers are those of the schemas", () => {
  const made = answerTypes(schemas);
  const known = readSources("{sdk,dashboard}/src/answers/*").map(({ path }) => path);
  assert.deepEqual(known, [...made.keys()].toSorted());
  for (const [path, text] of made) {
    assert.equal(readFileSync(join(ROOT, path), "utf8"), text, "run `npm run reference`");
  }
});

test("a member that an answer gains fails until it is documented, then until clients have it", () => {
  const queue = { createdAt: 1, updatedAt: 1, name: "q", parallelism: 1, lag: 0, paused: false };
  requireDocumented("GET", "/v2/queues/q", answerOf(queue));
  assert.throws(
    () => requireDocumented("GET", "/v2/queues/q", answerOf({ ...queue, planted: 1 })),
    /planted/,
  );
  const planted = Object.entries(schemas).map(([title, schema]) => {
    const properties = { ...(schema["properties"] as object), planted: { type: "boolean" } };
    return [title, { ...schema, properties }] as const;
  });
  const made = answerTypes(Object.fromEntries(planted));
  for (const [path, titles] of Object.entries(ANSWER_FILES)) {
    const own = titles.filter((title) => !(title in EXTENDED));
    const found = made.get(path)!.match(/readonly planted\?: boolean;/g) ?? [];
    assert.equal(found.length, own.length, path);
  }
});

test("each answer of each route has a type, or no client of ours reads it", () => {
  const { paths } = openApiOf(DOCUMENTED_GROUPS, "0.0.0");
  const answered = new Set<string>();
  let routes = 0;
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { responses }] of Object.entries(item)) {
      routes += 1;
      for (const [status, response] of Object.entries(responses)) {
        if ("$ref" in response) continue;
        for (const title of titlesIn(response, `${method} ${path} ${status}`)) answered.add(title);
      }
    }
  }
  assert.ok(routes > 100);
  const typed = new Set(Object.values(ANSWER_FILES).flat());
  const missing = [...answered].filter((title) => !typed.has(title));
  assert.deepEqual(missing.toSorted(), [...UNREAD].toSorted());
});

test("no client declares an answer by hand", () => {
  const sources = readSources("{sdk,dashboard}/src/**/*.{ts,tsx}");
  const files = sources.filter(({ path }) => !path.endsWith(".test.ts"));
  const declared = declaredAnswers(files);
  // The OpenAPI document has a specification of its own.
  assert.deepEqual(declared, ["dashboard/src/reference/document.ts: OpenApi"]);
  for (const [path, planted] of PLANTED) {
    const before = files.find((file) => file.path === path)!;
    const after = { ...before, code: before.code + planted };
    const found = declaredAnswers(files.map((file) => (file === before ? after : file)));
    assert.equal(found.length, declared.length + 1, planted);
  }
});

/** What a hand-written answer can look like. */
const PLANTED = [
  [
    "sdk/src/client/queues.ts",
    "interface Lag { lag: number }\nclass Lags { lag(): Promise<Lag> { return this.t.json({}) } }",
  ],
  [
    "sdk/src/client/queues.ts",
    "type Lags = readonly Lag[];\ntype Lag = { lag: number };\nawait transport.json<Page<Lags>>({});",
  ],
  ["sdk/src/client/queues.ts", "interface More extends Queue { lag2: number }\nt.json<More>({});"],
  ["sdk/src/client/logs.ts", "const { lag } = await this.#transport.json<{ lag: number }>({});"],
  ["sdk/src/workflow/start.ts", "interface Lag { lag: number }\nawait transport.json<Lag>({});"],
  ["dashboard/src/line/line.ts", "interface Lag { lag: number }\ncall<readonly Lag[]>(path);"],
  [
    "dashboard/src/line/line.ts",
    "interface Lag { lag: number }\nconst lag: Lag = await call(path);",
  ],
] as const;

/** The titles of the schemas in a response. An object with members and without a title has no type. */
function titlesIn(response: unknown, where: string): string[] {
  const { content } = response as { content?: Record<string, { schema: Schemas[string] }> };
  const schema = content?.["application/json"]?.schema;
  return schema === undefined ? [] : titlesOf(schema, where);
}

function titlesOf(schema: Schemas[string], where: string): string[] {
  const { $ref, anyOf, items, properties = {} } = schema;
  if (typeof $ref === "string") return [$ref.split("/").at(-1)!];
  assert.deepEqual(properties, {}, `${where}: give the answer a title`);
  const parts = [...((anyOf as Schemas[string][] | undefined) ?? []), ...(items ? [items] : [])];
  return parts.flatMap((part) => titlesOf(part as Schemas[string], where));
}

function answerOf(value: Record<string, unknown>): CallAnswer {
  return { status: 200, headers: {}, text: JSON.stringify(value), json: value };
}
