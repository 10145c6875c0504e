/** The menu below a filter: its fields, or the values of the field that was typed, the most frequent first. */
import { countText } from "../app/format.ts";
import { fieldNamed, type FilterField } from "./filter-fields.ts";

export interface MenuRow {
  /** What is in the field once it was picked. */
  readonly text: string;
  readonly count?: number | undefined;
  /** False where a value is yet to be given. */
  readonly isWhole: boolean;
}

export function menuRows(text: string, fields: readonly FilterField[]): MenuRow[] {
  const [, typed, begun = ""] = /^([a-z]+):\s*(.*)$/i.exec(text) ?? [];
  const field = fieldNamed(fields, typed);
  if (field !== undefined) {
    const sought = begun.toLowerCase();
    return (field.suggest?.() ?? [])
      .filter(({ value }) => value.toLowerCase().includes(sought))
      .map(({ value, count }) => ({ text: `${typed}:${value}`, count, isWhole: true }));
  }
  const sought = text.trim().toLowerCase();
  return fields
    .filter(({ isHidden = false }) => !isHidden)
    .map(({ name, word = name }) => ({ text: `${word}:`, isWhole: false }))
    .filter(({ text: row }) => row.startsWith(sought));
}

interface FilterMenuProps {
  readonly id: string;
  readonly rows: readonly MenuRow[];
  /** The row that the arrow keys have come to. */
  readonly at: number;
  readonly onPick: (row: MenuRow) => void;
}

export function FilterMenu({ id, rows, at, onPick }: FilterMenuProps) {
  return (
    <ul id={id} class="sheet menu" role="listbox" aria-label="Filters" hidden={rows.length === 0}>
      {rows.map((row, index) => (
        <li
          key={row.text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // Before the field loses the focus, which closes the menu.
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(row);
          }}
        >
          <span class="cut">{row.text}</span>
          {row.count === undefined ? null : <span class="muted num">{countText(row.count)}</span>}
        </li>
      ))}
    </ul>
  );
}
