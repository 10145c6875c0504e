export declare const VALUE: unique symbol;
/** The sentence for whatever is wrong with a value, in place of one for each keyword. */
export const SENTENCE = Symbol("sentence");

/**
 * A JSON Schema (2020-12) of a value that the API reads or answers. One with a title is shared.
 * `TypeOf` it is the type of the value, and `readerOf` it reads one.
 */
export type Schema<Value = unknown> = Readonly<Record<string, unknown>> & {
  readonly [VALUE]?: Value;
  readonly [SENTENCE]?: string;
};

/** Members of an answer that are undefined are not written. */
export type TypeOf<Described> = Described extends Schema<infer Value> ? Value : never;

export type Members = Readonly<Record<string, Schema>>;
export type NoMembers = { readonly [Name in never]: Schema };

type ObjectOf<Required extends Members, Optional extends Members> = {
  readonly [Name in keyof Required]: TypeOf<Required[Name]>;
} & {
  readonly [Name in keyof Optional as HasDefault<Optional[Name]> extends true ? never : Name]?:
    | TypeOf<Optional[Name]>
    | undefined;
} & {
  readonly [
    Name in keyof Optional as HasDefault<Optional[Name]> extends true ? Name : never
  ]: TypeOf<Optional[Name]>;
};

type HasDefault<Member> = Member extends { readonly default: unknown } ? true : false;

/** An object; members in `optional` are left out where they have no value. */
export function object<Required extends Members, Optional extends Members = NoMembers>(
  title: string,
  required: Required,
  optional?: Optional,
): Schema<ObjectOf<Required, Optional>> {
  return { title, ...inlineObject(required, optional) };
}

/** An object that is described where it occurs. */
export function inlineObject<Required extends Members, Optional extends Members = NoMembers>(
  required: Required,
  optional?: Optional,
): Schema<ObjectOf<Required, Optional>> {
  const names = Object.keys(required);
  return {
    type: "object",
    properties: { ...required, ...optional },
    ...(names.length === 0 ? {} : { required: names }),
  };
}

/** An object in a request, in which an unknown member is refused and not ignored. */
export function closedObject<Required extends Members, Optional extends Members = NoMembers>(
  required: Required,
  optional?: Optional,
): Schema<ObjectOf<Required, Optional>> {
  return { ...inlineObject(required, optional), additionalProperties: false };
}

export function list<Item>(items: Schema<Item>, description?: string): Schema<readonly Item[]> {
  return { type: "array", items, ...described(description) };
}

export function text(description?: string, ...examples: readonly string[]): Schema<string> {
  return { type: "string", ...described(description), ...exampled(examples) };
}

export function integer(description?: string, ...examples: readonly number[]): Schema<number> {
  return { type: "integer", ...described(description), ...exampled(examples) };
}

export function flag(description?: string, ...examples: readonly boolean[]): Schema<boolean> {
  return { type: "boolean", ...described(description), ...exampled(examples) };
}

/** Unix milliseconds. */
export function instant(description: string, example = 1_767_225_600_000): Schema<number> {
  return integer(`${description} Unix milliseconds.`, example);
}

export function choice<Value extends string>(
  values: readonly Value[],
  description?: string,
  ...examples: readonly Value[]
): Schema<Value> {
  return { type: "string", enum: values, ...described(description), ...exampled(examples) };
}

export function orNull<Value>(schema: Schema<Value>): Schema<Value | null> {
  const { type, enum: values } = schema;
  const choices = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  return { ...schema, type: [type, "null"], ...choices };
}

export function anyOf<Schemas extends readonly Schema[]>(
  ...schemas: Schemas
): Schema<TypeOf<Schemas[number]>> {
  return { anyOf: schemas };
}

export function withKeywords<Value>(
  schema: Schema<Value>,
  keywords: Readonly<Record<string, unknown>>,
): Schema<Value> {
  return { ...schema, ...keywords };
}

/** Read as this value where it is not given. */
export function withDefault<Value>(
  value: Value,
  schema: Schema<Value>,
): Schema<Value> & { readonly default: Value } {
  return { ...schema, default: value };
}

/** Refused with this sentence, whatever is wrong with it. */
export function refusedAs<Value>(sentence: string, schema: Schema<Value>): Schema<Value> {
  return { ...schema, [SENTENCE]: sentence };
}

/** Headers by name, each with its values. */
export function headers(
  description: string,
  example?: Schema,
): Schema<Readonly<Record<string, readonly string[]>>> {
  return {
    type: "object",
    description,
    ...exampled(example === undefined ? [] : [example]),
    additionalProperties: { type: "array", items: { type: "string" } },
  };
}

/** One page of a list. The last page has no cursor, or an empty one. */
export function page<Name extends string, Item, More extends Members = NoMembers>(
  title: string,
  name: Name,
  items: Schema<Item>,
  more = {} as More,
) {
  const members = { [name]: list(items) } as Readonly<Record<Name, Schema<readonly Item[]>>>;
  return object(title, members, { cursor: CURSOR, ...more });
}

export const CURSOR: Schema<string> = {
  type: "string",
  description: "Send it to get the next page. Absent or empty on the last page.",
};

/** An object without members. */
export const NOTHING: Schema<NoMembers> = { type: "object", properties: {} };

function described(description: string | undefined): Readonly<Record<string, unknown>> {
  return description === undefined ? {} : { description };
}

function exampled(examples: readonly unknown[]): Readonly<Record<string, unknown>> {
  return examples.length === 0 ? {} : { examples };
}
