import type { Schema } from "../../wire/json/schema.ts";

/** Schemas that have a title stand once in the document, and are named where they occur. */
export class SharedSchemas {
  readonly #byTitle = new Map<string, { readonly from: unknown; shared: unknown }>();

  /** The schema, with each titled one in it replaced by a reference. */
  share(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.share(item));
    if (typeof value !== "object" || value === null) return value;
    const { title } = value as Schema;
    return typeof title === "string" ? this.#refer(title, value) : this.#shareMembers(value);
  }

  get all(): Readonly<Record<string, unknown>> {
    const entries = [...this.#byTitle].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries.map(([title, { shared }]) => [title, shared]));
  }

  #refer(title: string, schema: object): unknown {
    const known = this.#byTitle.get(title);
    if (known === undefined) {
      const entry = { from: schema, shared: {} as unknown };
      this.#byTitle.set(title, entry);
      entry.shared = this.#shareMembers(schema);
    } else if (known.from !== schema) throw new Error(`two schemas have the title ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }

  #shareMembers(value: object): unknown {
    const entries = Object.entries(value).map(([name, member]) => [
      name,
      // An example may have a member of any name.
      name === "examples" ? member : this.share(member),
    ]);
    return Object.fromEntries(entries);
  }
}
