/** The filter of a list: tokens that are the URL's query, and a field with a menu of fields and values. */
import { useId, useRef, useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import { place, setQuery } from "../app/router.ts";
import { type FilterField, splitToken } from "./filter-fields.ts";
import { FilterMenu, type MenuRow, menuRows } from "./filter-menu.tsx";
import { Icon } from "./icon.tsx";

interface FilterBarProps {
  readonly label: string;
  readonly hint: string;
  readonly fields: readonly FilterField[];
  /** A text without a field: returns the field it belongs to, or null when it was dealt with. */
  readonly onText: (text: string) => string | null;
}

export function FilterBar(props: FilterBarProps) {
  const { label, hint, fields } = props;
  const { query } = place.value;
  const tokens = fields.flatMap((field) => {
    const value = query.get(field.name);
    return value === null ? [] : [{ field, value }];
  });
  const { input, text, rows, at, type, pick, press, setOpen } = useTyping(props, tokens);
  const menu = useId();
  return (
    <div class="search" role="search">
      <Icon name="search" />
      {tokens.map(({ field, value }) => (
        <Token key={field.name} field={field} value={value} />
      ))}
      <input
        ref={input}
        role="combobox"
        aria-label={label}
        aria-expanded={rows.length > 0}
        aria-controls={menu}
        aria-autocomplete="list"
        aria-activedescendant={at < 0 ? undefined : `${menu}-${at}`}
        placeholder={tokens.length > 1 ? "Add a filter" : hint}
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <FilterMenu id={menu} rows={rows} at={at} onPick={pick} />
      <kbd class="hide-s">/</kbd>
    </div>
  );
}

/** What is typed, and the row of the menu that the arrow keys have come to. */
function useTyping(
  { fields, onText }: FilterBarProps,
  tokens: readonly { readonly field: FilterField }[],
) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  useKeys({ "/": () => input.current?.focus() });
  const rows = isOpen ? menuRows(text, fields) : [];
  const show = (typed: string, isMenu: boolean): void => {
    setText(typed);
    setOpen(isMenu);
    setAt(-1);
  };
  const add = (typed: string): void => {
    const { name, value } = splitToken(typed, fields);
    const field = name ?? onText(value);
    if (field !== null && value !== "") setQuery({ [field]: value });
    show("", false);
  };
  const pick = ({ text: picked, isWhole }: MenuRow): void => {
    if (isWhole) add(picked);
    else show(picked, true);
    input.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      setAt(Math.max(-1, Math.min(rows.length - 1, at + (event.key === "ArrowDown" ? 1 : -1))));
    } else if (event.key === "Enter" && row !== undefined) pick(row);
    else if (event.key === "Enter" && text.trim() !== "") add(text.trim());
    else if (event.key === "Backspace" && text === "" && tokens.length > 0)
      setQuery({ [tokens.at(-1)!.field.name]: null });
    else if (event.key === "Escape") input.current?.blur();
  };
  return {
    input,
    text,
    rows,
    at,
    type: (typed: string) => show(typed, true),
    pick,
    press,
    setOpen,
  };
}

function Token({ field, value }: { readonly field: FilterField; readonly value: string }) {
  const problem = field.check?.(value) ?? null;
  return (
    <span class={`token ${problem === null ? "" : "wrong"}`} title={problem ?? undefined}>
      <b>{field.word ?? field.name}</b>
      <span class="cut">{field.show?.(value) ?? value}</span>
      {problem === null ? null : <span class="sr">{problem}</span>}
      <button
        type="button"
        aria-label={`Remove filter ${field.word ?? field.name}`}
        onClick={() => setQuery({ [field.name]: null })}
      >
        <Icon name="x" />
      </button>
    </span>
  );
}
