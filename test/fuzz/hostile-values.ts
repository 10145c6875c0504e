/** Texts and JSON that a careless or hostile client might send in place of what the document asks for. */
import type { OpenApi } from "../../src/api/reference/document.ts";
import type { Chance } from "../simulation/chance.ts";

interface ValueSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly items?: ValueSchema;
  readonly anyOf?: readonly ValueSchema[];
  readonly oneOf?: readonly ValueSchema[];
  readonly minimum?: number;
  readonly additionalProperties?: ValueSchema | boolean;
}

/** Never a host outside of this machine: what is accepted is also sent. */
export const URLS: readonly string[] = [
  "http://127.0.0.1:9/hook",
  "http://127.0.0.1:9/a%20b?x=1&y=%00#z",
  "http://nowhere.invalid/",
  "http://user:password@127.0.0.1:9/",
  "http://[::1]:9/",
  "http://[::1",
  "http://169.254.169.254/latest",
  "http://127.0.0.1:99999/",
  "http://127.0.0.1:0/",
  "http:/127.0.0.1:9",
  "HTTP://127.0.0.1:9",
  "ftp://127.0.0.1/",
  "javascript:alert(1)",
  "//127.0.0.1/",
  "http://xn--/",
  "http://127.0.0.1:9/\u00fc",
  "api/llm",
];

const TEXTS: readonly string[] = [
  "",
  " ",
  "0",
  "-1",
  "1e309",
  "9007199254740993",
  "99999999999999999999999",
  "null",
  "true",
  "NaN",
  "10s",
  "1000d",
  "-5m",
  "*/5 * * * *",
  "* * * * * * *",
  "61 * * * *",
  "CRON_TZ=Nowhere/City * * * * *",
  "pow(2, retried) * 1000",
  "((((((((((1))))))))))",
  "pow(pow(9, 9), pow(9, 9))",
  "__proto__",
  "constructor",
  "../../../etc/passwd",
  "%2e%2e%2f",
  "%",
  "%zz",
  "%00",
  "a,b,,c",
  "parallelism=0,rate=-1,period=x",
  "'; DROP TABLE messages; --",
  "\u00fc\u00df\u20ac",
  "\ud83d\ude00",
  "\u202e\u200b",
  "x".repeat(300),
  "y".repeat(20_000),
  "{}",
  "[",
  "msg_01JGFJJZ00ABCDEFGHJKMNPQRS",
  "1767225600000-17",
  "1767225600000",
];

export function hostileText(chance: Chance): string {
  return chance.pick(chance.happens(0.3) ? URLS : TEXTS);
}

/** A value that mostly fits the schema, and in some place does not. */
export function hostileJson(document: OpenApi, schema: unknown, chance: Chance): string {
  const made = JSON.stringify(valueOf(document, schema as ValueSchema, chance, 0)) ?? "";
  if (chance.happens(0.85)) return made;
  return chance.pick([
    made.slice(0, chance.below(made.length + 1)),
    `${made},`,
    `{"__proto__":${made || "1"},"constructor":{"prototype":1}}`,
    "[".repeat(20_000),
    `[${"{},".repeat(3_000)}{}]`,
    `{${Array.from({ length: 3_000 }, (_, index) => `"m${index}":0`).join(",")}}`,
    `"${"z".repeat(100_000)}"`,
    "nul",
    "\u0000",
    "1e999",
  ]);
}

function valueOf(
  document: OpenApi,
  schema: ValueSchema | undefined,
  chance: Chance,
  depth: number,
): unknown {
  if (schema === undefined || depth > DEPTH_MAX || chance.happens(WRONG)) return anything(chance);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!;
    const found = document.components.schemas[name] as ValueSchema;
    return valueOf(document, found, chance, depth + 1);
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return valueOf(document, chance.pick(choices), chance, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return chance.pick(schema.enum);
  switch (Array.isArray(schema.type) ? chance.pick(schema.type) : schema.type) {
    case "object":
      return objectOf(document, schema, chance, depth);
    case "array":
      return Array.from({ length: chance.below(4) }, () =>
        valueOf(document, schema.items, chance, depth + 1),
      );
    case "integer":
    case "number":
      return chance.pick([schema.minimum ?? 0, 1, 2, 10, 1_000]);
    case "boolean":
      return chance.happens(0.5);
    case "null":
      return null;
    default:
      return chance.happens(0.5) ? chance.pick(URLS) : hostileText(chance);
  }
}

function objectOf(
  document: OpenApi,
  { properties = {}, additionalProperties }: ValueSchema,
  chance: Chance,
  depth: number,
): object {
  const entries = Object.entries(properties)
    .filter(() => chance.happens(0.6))
    .map(([name, member]) => [name, valueOf(document, member, chance, depth + 1)]);
  if (typeof additionalProperties === "object" || chance.happens(WRONG)) {
    const more = typeof additionalProperties === "object" ? additionalProperties : undefined;
    entries.push([hostileText(chance), valueOf(document, more, chance, depth + 1)]);
  }
  return Object.fromEntries(entries) as object;
}

function anything(chance: Chance): unknown {
  return chance.pick([
    () => null,
    () => -1,
    () => 1.5,
    () => 1e300,
    () => true,
    () => [],
    () => ({}),
    () => [[[[[]]]]],
    () => hostileText(chance),
    () => ({ [hostileText(chance)]: hostileText(chance) }),
  ])();
}

const WRONG = 0.08;
const DEPTH_MAX = 12;
