/** The filter of a list: tokens that are the URL's query, and a field with suggestions. */
import { useId, useRef, useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { place, setQuery } from "../app/router.ts";
import type { FilterField } from "./filter-fields.ts";
import { Icon } from "./icon.tsx";

interface FilterBarProps {
  readonly label: string;
  readonly hint: string;
  readonly fields: readonly FilterField[];
  /** A text without a field: returns the field it belongs to, or null when it was dealt with. */
  readonly onText: (text: string) => string | null;
}

export function FilterBar({ label, hint, fields, onText }: FilterBarProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const list = useId();
  useKeys({ "/": () => input.current?.focus() });
  const { query } = place.value;
  const tokens = fields.flatMap((field) => {
    const value = query.get(field.name);
    return value === null ? [] : [{ field, value }];
  });
  const add = (typed: string): void => {
    const { name, value } = splitToken(typed, fields);
    const field = name ?? onText(value);
    if (field !== null && value !== "") setQuery({ [field]: value });
    setText("");
  };
  return (
    <div class="search" role="search">
      <Icon name="search" />
      {tokens.map(({ field, value }) => (
        <Token key={field.name} field={field} value={value} />
      ))}
      <input
        ref={input}
        aria-label={label}
        placeholder={tokens.length > 1 ? "Add a filter" : hint}
        value={text}
        list={list}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && text.trim() !== "") add(text.trim());
          else if (event.key === "Backspace" && text === "" && tokens.length > 0)
            setQuery({ [tokens.at(-1)!.field.name]: null });
          else if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <datalist id={list}>
        {suggestions(text, fields).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <kbd class="hide-s">/</kbd>
    </div>
  );
}

function Token({ field, value }: { readonly field: FilterField; readonly value: string }) {
  const problem = field.check?.(value) ?? null;
  return (
    <span class={`token ${problem === null ? "" : "wrong"}`} title={problem ?? undefined}>
      <b>{field.name}</b>
      {field.show?.(value) ?? value}
      {problem === null ? null : <span class="sr">{problem}</span>}
      <button
        type="button"
        aria-label={`Remove filter ${field.name}`}
        onClick={() => setQuery({ [field.name]: null })}
      >
        <Icon name="x" />
      </button>
    </span>
  );
}

/** `label:mail` and `label mail` name a field. */
export function splitToken(
  text: string,
  fields: readonly { readonly name: string }[],
): { readonly name: string | null; readonly value: string } {
  const match = /^([a-z]+)(?::\s*|\s+)(.+)$/i.exec(text);
  const name = fields.find((field) => field.name === match?.[1]?.toLowerCase())?.name ?? null;
  return name === null ? { name, value: text } : { name, value: match![2]! };
}

function suggestions(text: string, fields: readonly FilterField[]): string[] {
  const [, typed] = /^([a-z]+):/i.exec(text) ?? [];
  const field = fields.find(({ name }) => name === typed?.toLowerCase());
  if (field !== undefined)
    return (field.suggest?.() ?? []).map((value) => `${field.name}:${value}`);
  return fields.map(({ name }) => `${name}:`);
}
