/** What the service answers, the OpenAPI document, and the types that clients have, are the same. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { requireDocumented } from "../support/documented-answers.ts";
import type { CallAnswer } from "../support/http-call.ts";
import { ANSWER_FILES, EXTENDED } from "./answer-files.ts";
import { answerTypes, componentSchemas } from "./answer-types.ts";
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

function answerOf(value: Record<string, unknown>): CallAnswer {
  return { status: 200, headers: {}, text: JSON.stringify(value), json: value };
}
