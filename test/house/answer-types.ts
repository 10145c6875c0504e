/** The types of answers that clients have, made from the schemas of the OpenAPI document. */
import assert from "node:assert/strict";
import { posix } from "node:path";
import { openApiOf } from "../../src/api/reference/openapi.ts";
import { DOCUMENTED_GROUPS } from "../../src/api/routes.ts";
import { ANSWER_FILES, EXTENDED, NAMES, WORDS } from "./answer-files.ts";

type Schema = Readonly<Record<string, unknown>>;
export type Schemas = Readonly<Record<string, Schema>>;

export function componentSchemas(): Schemas {
  return openApiOf(DOCUMENTED_GROUPS, "0.0.0").components.schemas as Schemas;
}

/** The text of each file, by its path. */
export function answerTypes(schemas: Schemas): ReadonlyMap<string, string> {
  const files = Object.entries(ANSWER_FILES).map(([path, titles]): [string, string] => {
    const writer = new TypeWriter();
    const types = titles.map((title) => writer.declared(title, schemas));
    return [path, [[MADE, ...writer.imports(path)].join("\n"), ...types].join("\n\n") + "\n"];
  });
  return new Map([[WORDS_FILE, [MADE, ...wordTypes()].join("\n\n") + "\n"], ...files]);
}

class TypeWriter {
  readonly #used = new Set<string>();

  declared(title: string, schemas: Schemas): string {
    const schema = schemas[title];
    assert.ok(schema !== undefined, `there is no schema ${title}`);
    const base = EXTENDED[title];
    if (base === undefined) return `export interface ${nameOf(title)} ${this.#members(schema, "")}`;
    const own = without(schema, schemas[base]!);
    return `export interface ${nameOf(title)} extends ${this.#use(nameOf(base))} ${this.#members(own, "")}`;
  }

  /** Of what was used and is declared in another file. */
  imports(path: string): string[] {
    const places = new Map([HEADERS, ...Object.keys(WORDS)].map((word) => [word, WORDS_FILE]));
    for (const [place, titles] of Object.entries(ANSWER_FILES)) {
      for (const title of titles) places.set(nameOf(title), place);
    }
    const byPlace = Map.groupBy(this.#used, (name) => places.get(name));
    byPlace.delete(path);
    return Array.from(byPlace, ([place, names]) => {
      assert.ok(place !== undefined, `in no file: ${names.join()}`);
      const from = posix.relative(posix.dirname(path), place);
      const specifier = from.startsWith(".") ? from : `./${from}`;
      return `import type { ${names.toSorted().join(", ")} } from "${specifier}";`;
    });
  }

  #members(schema: Schema, indent: string): string {
    const members = Object.entries(schema["properties"] as Schemas);
    const lines = members.flatMap(([name, member]) => {
      const mark = isRequired(schema, name) ? "" : "?";
      const { description } = member;
      return [
        ...(typeof description === "string" ? [`${indent}  /** ${description} */`] : []),
        `${indent}  readonly ${name}${mark}: ${this.#typeOf(member, `${indent}  `)};`,
      ];
    });
    return ["{", ...lines, `${indent}}`].join("\n");
  }

  #typeOf(schema: Schema, indent: string): string {
    const { $ref, enum: words, items, type, properties, additionalProperties } = schema;
    if (typeof $ref === "string") return this.#use(nameOf($ref.split("/").at(-1)!));
    if (Array.isArray(words)) return this.#choice(words);
    if (Array.isArray(type)) {
      const types = type.map((one: unknown) => this.#typeOf({ ...schema, type: one }, indent));
      return types.join(" | ");
    }
    if (type === "array") return `readonly ${this.#typeOf(items as Schema, indent)}[]`;
    if (type !== "object") return SIMPLE[String(type)]!;
    if (properties !== undefined) return this.#members(schema, indent);
    const value = this.#typeOf(additionalProperties as Schema, indent);
    return value === "readonly string[]"
      ? this.#use(HEADERS)
      : `Readonly<Record<string, ${value}>>`;
  }

  #choice(words: readonly unknown[]): string {
    const known = Object.entries(WORDS).filter(([, list]) =>
      list.every((word) => words.includes(word)),
    );
    const isAll = known.flatMap(([, list]) => list).length === words.length;
    const parts = isAll ? known.map(([name]) => this.#use(name)) : words.map(literal);
    return parts.join(" | ");
  }

  #use(name: string): string {
    this.#used.add(name);
    return name;
  }
}

/** The members that the base does not have; those that both have must be the same. */
function without(schema: Schema, base: Schema): Schema {
  const [own, common] = [schema["properties"], base["properties"]] as [Schemas, Schemas];
  for (const name of Object.keys(common)) {
    assert.deepEqual(own[name], common[name], name);
    assert.equal(isRequired(schema, name), isRequired(base, name), name);
  }
  const rest = Object.entries(own).filter(([name]) => !(name in common));
  return { ...schema, properties: Object.fromEntries(rest) };
}

function isRequired({ required = [] }: Schema, name: string): boolean {
  return (required as readonly string[]).includes(name);
}

function wordTypes(): string[] {
  const lists = Object.entries(WORDS).map(([name, words]) =>
    [`export type ${name} =`, ...words.map((word) => `  | ${literal(word)}`)].join("\n"),
  );
  return [`export type ${HEADERS} = Readonly<Record<string, readonly string[]>>;`].concat(
    lists.map((list) => `${list};`),
  );
}

function nameOf(title: string): string {
  return NAMES[title] ?? title;
}

function literal(word: unknown): string {
  return JSON.stringify(word);
}

const HEADERS = "HeaderLists";
const WORDS_FILE = "sdk/src/answers/words.ts";
const MADE = "/** `npm run reference` writes this file from the schemas of the server. */";
const SIMPLE: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
  undefined: "unknown",
};
