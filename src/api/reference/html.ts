/** Text that is markup already. Everything else is escaped where it is put into markup. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | null | readonly HtmlValue[];

/** Markup with values in it, which are escaped unless they are markup. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const pieces = parts.map((part, index) => part + textOf(values[index] ?? null));
  return new Html(pieces.join(""));
}

/** The few marks of Markdown that our tables use: paragraphs, lists, code and bold. */
export function marked(markdown: string): Html {
  const blocks = markdown.split("\n\n").map((block) => {
    if (!block.startsWith("- ")) return html`<p>${inline(block)}</p>`;
    const items = block.split("\n").map((line) => html`<li>${inline(line.slice(2))}</li>`);
    return html`<ul class="list">
      ${items}
    </ul>`;
  });
  return html`${blocks}`;
}

export function inline(markdown: string): Html {
  const marks = escaped(markdown)
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");
  return new Html(marks);
}

function textOf(value: HtmlValue): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(textOf).join("");
  return escaped(String(value));
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
