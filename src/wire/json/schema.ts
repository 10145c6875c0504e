/** A JSON Schema (2020-12) of a value that the API reads or answers. One with a title is shared. */
export type Schema = Readonly<Record<string, unknown>>;

export type Members = Readonly<Record<string, Schema>>;

/** An object; members in `optional` are left out where they have no value. */
export function object(title: string, required: Members, optional: Members = {}): Schema {
  return { title, ...bare(required, optional) };
}

/** An object that is described where it occurs. */
export function bare(required: Members, optional: Members = {}): Schema {
  const names = Object.keys(required);
  return {
    type: "object",
    properties: { ...required, ...optional },
    ...(names.length === 0 ? {} : { required: names }),
  };
}

export function list(items: Schema, description?: string): Schema {
  return { type: "array", items, ...said(description) };
}

export function text(description?: string, ...examples: readonly string[]): Schema {
  return { type: "string", ...said(description), ...shown(examples) };
}

export function whole(description?: string, ...examples: readonly number[]): Schema {
  return { type: "integer", ...said(description), ...shown(examples) };
}

export function flag(description?: string, ...examples: readonly boolean[]): Schema {
  return { type: "boolean", ...said(description), ...shown(examples) };
}

/** Unix milliseconds. */
export function instant(description: string, example = 1_767_225_600_000): Schema {
  return whole(`${description} Unix milliseconds.`, example);
}

export function choice(
  values: readonly string[],
  description?: string,
  ...examples: readonly string[]
): Schema {
  return { type: "string", enum: values, ...said(description), ...shown(examples) };
}

/** Also null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  const choices = Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {};
  return { ...schema, type: [type, "null"], ...choices };
}

export function anyOf(...schemas: readonly Schema[]): Schema {
  return { anyOf: schemas };
}

/** Headers by name, each with its values. */
export function headers(description: string, example?: Schema): Schema {
  return {
    type: "object",
    description,
    ...shown(example === undefined ? [] : [example]),
    additionalProperties: { type: "array", items: { type: "string" } },
  };
}

/** One page of a list. The last page has no cursor, or an empty one. */
export function page(title: string, name: string, items: Schema): Schema {
  return object(title, { [name]: list(items) }, { cursor: CURSOR });
}

export const CURSOR: Schema = {
  type: "string",
  description: "Send it to get the next page. Absent or empty on the last page.",
};

/** An object without members. */
export const NOTHING: Schema = { type: "object", properties: {} };

function said(description: string | undefined): Schema {
  return description === undefined ? {} : { description };
}

function shown(examples: readonly unknown[]): Schema {
  return examples.length === 0 ? {} : { examples };
}
