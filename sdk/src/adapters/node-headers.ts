import type { HeaderView } from "../workflow/incoming.ts";

export type HeadersByName = Readonly<Record<string, string | string[] | undefined>>;

/** Headers in Node's form: by their names in lower case. */
export class NodeHeaders implements HeaderView {
  readonly #headers: HeadersByName;

  constructor(headers: HeadersByName) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  }

  has(name: string): boolean {
    return this.#headers[name.toLowerCase()] !== undefined;
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return webHeadersOf(this.#headers)[Symbol.iterator]();
  }
}

export function webHeadersOf(headers: HeadersByName): Headers {
  const given = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of Array.isArray(values) ? values : [values]) {
      if (value !== undefined && !name.startsWith(":")) given.append(name, value);
    }
  }
  return given;
}
