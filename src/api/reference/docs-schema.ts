import type { OpenApi } from "./document.ts";
import { resolved } from "./examples.ts";
import { Html, html, inline } from "./html.ts";

type SchemaObject = Readonly<Record<string, unknown>>;

/** The type of a value in a few words; a shared one is a link. */
export function typeOf(schema: unknown, document: OpenApi): Html {
  const known = schema as SchemaObject;
  if (typeof known["$ref"] === "string") {
    const name = known["$ref"].split("/").at(-1)!;
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if ("anyOf" in known) {
    const types = (known["anyOf"] as readonly unknown[]).map((one) => typeOf(one, document));
    return html`${types.map((type, index) => (index === 0 ? type : html` or ${type}`))}`;
  }
  if ("enum" in known) return choices(known["enum"] as readonly unknown[]);
  if ("const" in known) return html`${JSON.stringify(known["const"])}`;
  if (known["type"] === "array") return html`list of ${typeOf(known["items"], document)}`;
  const types = Array.isArray(known["type"]) ? known["type"] : [known["type"] ?? "any"];
  return html`${types.join(" or ")}`;
}

function choices(values: readonly unknown[]): Html {
  const words = values.map((value) => (value === "" ? '""' : String(value)));
  if (words.length > CHOICES_MAX) return html`one of ${words.length} words`;
  return html`${words.join(" | ")}`;
}

/** The members of an object, with those of the objects inside it. */
export function fields(schema: unknown, document: OpenApi): Html {
  const known = schema as SchemaObject;
  if (known["type"] === "array") {
    return html`<p class="soft">A list of ${typeOf(known["items"], document)}.</p>`;
  }
  if (typeof known["$ref"] === "string" || !("properties" in known)) {
    return html`<p class="soft">${typeOf(schema, document)}</p>`;
  }
  const rows = Object.entries(known["properties"] as Record<string, SchemaObject>).map(
    ([name, member]) => field(name, member, isRequired(known, name), document),
  );
  const list = html`<dl class="fields">${rows}</dl>`;
  if (rows.length <= FIELDS_OPEN_MAX) return list;
  return html`<details>
    <summary>Fields <span class="n">${rows.length}</span></summary>
    ${list}
  </details>`;
}

export function field(
  name: string,
  member: SchemaObject,
  required: boolean,
  document: OpenApi,
): Html {
  const { description } = resolved(member, document);
  const inner = nested(member);
  return html`<div class="field">
    <dt>
      <code>${name}</code> <span class="type">${typeOf(member, document)}</span>
      ${required ? html`<span class="needed">required</span>` : null}
    </dt>
    <dd>
      ${typeof description === "string" ? inline(description) : null} ${wordsOf(member)}
      ${inner === null ? null : fields(inner, document)}
    </dd>
  </div>`;
}

/** Many words do not fit beside a name, and stand below it. */
function wordsOf(member: SchemaObject): Html | null {
  const words = member["enum"] as readonly string[] | undefined;
  if (words === undefined || words.length <= CHOICES_MAX) return null;
  return html`<span class="words">${words.map((word) => html`<code>${word}</code> `)}</span>`;
}

/** An object that is described here: not one that has a name of its own. */
function nested(member: SchemaObject): SchemaObject | null {
  const inner = member["type"] === "array" ? (member["items"] as SchemaObject) : member;
  return "properties" in inner ? inner : null;
}

export function isRequired(schema: SchemaObject, name: string): boolean {
  return ((schema["required"] ?? []) as readonly string[]).includes(name);
}

/** A block of code under a title. */
export function code(title: string, text: string): Html {
  return html`<figure class="code">
    <figcaption>${title}</figcaption>
    <pre tabindex="0">${shellCode(text)}</pre>
  </figure>`;
}

export function jsonCode(title: string, value: unknown): Html {
  return html`<figure class="code">
    <figcaption>${title}</figcaption>
    <pre tabindex="0">${highlighted(jsonText(value))}</pre>
  </figure>`;
}

/** Indented, with lists of short values on one line. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? "";
  return text.replace(/\[\s+([^[\]{}]*?)\s+\]/g, (whole, inner: string) => {
    const line = `[${inner.replaceAll(/\s*\n\s*/g, " ")}]`;
    return line.length <= LINE_MAX ? line : whole;
  });
}

function shellCode(text: string): Html {
  const parts = text.split(/("[^"]*"|'(?:[^']|'\\'')*')/);
  return html`${parts.map((part) => (/^["']/.test(part) ? html`<span class="js-str">${part}</span>` : part))}`;
}

/** Names, texts and numbers of JSON in their colors. */
function highlighted(json: string): Html {
  const parts = json.split(
    /("(?:[^"\\]|\\.)*"(?:\s*:)?|-?\b\d+(?:\.\d+)?\b|\b(?:true|false|null)\b)/,
  );
  const shown = parts.map((part) => {
    if (part.endsWith(":")) return html`<span class="js-key">${part.slice(0, -1)}</span>:`;
    if (part.startsWith('"')) return html`<span class="js-str">${part}</span>`;
    if (/^(-?\d|true|false|null)/.test(part)) return html`<span class="js-num">${part}</span>`;
    return html`${part}`;
  });
  return new Html(shown.map(({ text }) => text).join(""));
}

const LINE_MAX = 60;
const CHOICES_MAX = 4;
const FIELDS_OPEN_MAX = 8;
