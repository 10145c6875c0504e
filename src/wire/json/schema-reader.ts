import { HALF_OF_A_PAIR, invalidRequest } from "../headers/header-value.ts";
import { isJsonObject, readJson, requireMembers } from "./json.ts";
import { type Members, type Schema, SENTENCE } from "./schema.ts";

/** Reads a value, or refuses it with a sentence that names the field. */
type Reader<Value = unknown> = (value: unknown, field: string) => Value;

export function bodyReader<Value>(
  schema: Schema<Value>,
  bytesMax: number,
): (body: Uint8Array) => Value {
  const read = readerOf(schema);
  return (body) => read(readJson(body, bytesMax), "body");
}

/**
 * The reader of values of this form. Make it once: it goes through the schema then, and not for each
 * value. Members of `root` are named without it.
 */
export function readerOf<Value>(schema: Schema<Value>, root = "body"): Reader<Value> {
  const [type, ...others] = [schema["type"]].flat();
  const read = READERS[String(type)]?.(schema, root);
  if (read === undefined) throw new Error(`no reader of ${JSON.stringify(schema)}`);
  const isNullable = others.includes("null");
  return ((value, field) =>
    isNullable && value === null ? null : read(value, field)) as Reader<Value>;
}

const READERS: Readonly<Record<string, (schema: Schema, root: string) => Reader>> = {
  undefined: () => (value) => value,
  string: textReader,
  integer: integerReader,
  boolean: (schema) => (value, field) =>
    typeof value === "boolean" ? value : refuse(schema, field, "must be true or false"),
  array: listReader,
  object: objectReader,
};

function textReader(schema: Schema): Reader {
  const { minLength = 0, maxLength = Infinity, pattern } = schema as TextKeywords;
  const values = schema["enum"] as readonly unknown[] | undefined;
  const form = pattern === undefined ? null : new RegExp(pattern, "u");
  return (value, field) => {
    if (values !== undefined && !values.includes(value)) {
      return refuse(schema, field, `must be one of ${values.join(", ")}`);
    }
    if (typeof value !== "string") return refuse(schema, field, "must be a string");
    if (value.length < minLength) return refuse(schema, field, "is empty");
    if (value.length > maxLength) {
      return refuse(schema, field, `is longer than ${maxLength} characters`);
    }
    // As bytes, in a column or in a header it would be another text.
    if (!value.isWellFormed()) throw invalidRequest(`${field}: ${HALF_OF_A_PAIR}`);
    return form === null || form.test(value) ? value : refuse(schema, field, "is malformed");
  };
}

function integerReader(schema: Schema): Reader {
  const { minimum = -Infinity, maximum = Infinity } = schema as NumberKeywords;
  return (value, field) => {
    if (typeof value !== "number" || !Number.isInteger(value)) {
      return refuse(schema, field, "must be a whole number");
    }
    if (value < minimum) return refuse(schema, field, `must be at least ${minimum}`);
    return value > maximum ? refuse(schema, field, `must be at most ${maximum}`) : value;
  };
}

function listReader(schema: Schema, root: string): Reader {
  const { minItems = 0, maxItems = Infinity } = schema as ListKeywords;
  const read = readerOf(schema["items"] as Schema, root);
  return (value, field) => {
    if (!Array.isArray(value)) return refuse(schema, field, "must be an array");
    if (value.length < minItems) return refuse(schema, field, "is empty");
    if (value.length > maxItems) return refuse(schema, field, `has more than ${maxItems}`);
    return value.map((item, index) => read(item, `${field}[${index}]`));
  };
}

/**
 * Headers, and other objects whose members have open names, are read by those who know them. The
 * object itself is the result where nothing in it changes, since a batch reads a thousand.
 */
function objectReader(schema: Schema, root: string): Reader {
  const { properties, required = [], additionalProperties } = schema as ObjectKeywords;
  const members = Object.entries(properties ?? {}).map(([name, member]) => {
    return { name, read: readerOf(member, root), missing: member["default"] };
  });
  const known = members.map(({ name }) => name);
  return (value, field) => {
    if (!isJsonObject(value)) return refuse(schema, field, "must be an object");
    if (properties === undefined) return value;
    const prefix = field === root ? "" : `${field}.`;
    for (const name of required) {
      if (!Object.hasOwn(value, name)) refuse(properties[name]!, prefix + name, "is missing");
    }
    if (additionalProperties === false) {
      requireMembers(value, known, field === "body" ? undefined : field);
    }
    let result = value;
    for (const { name, read, missing } of members) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      const member = given === undefined ? missing : read(given, prefix + name);
      if (member !== given) result = { ...result, [name]: member };
    }
    return result;
  };
}

function refuse(schema: Schema, field: string, sentence: string): never {
  throw invalidRequest(`${field}: ${schema[SENTENCE] ?? sentence}`);
}

interface TextKeywords {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

interface NumberKeywords {
  readonly minimum?: number;
  readonly maximum?: number;
}

interface ListKeywords {
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface ObjectKeywords {
  readonly properties?: Members;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}
