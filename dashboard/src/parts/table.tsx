/** Rows of one line, moved over with keys, chosen with check boxes, drawn only where they can be seen. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { moment } from "../app/clock.ts";
import { navigate } from "../app/router.ts";
import { isReadOnly } from "../app/session.ts";
import { SelectAll, SelectRow, type Selection } from "./selection.tsx";
import { useRowKeys } from "./row-keys.ts";
import { SkeletonRows } from "./skeleton-rows.tsx";
import { useVisibleRows } from "./visible-rows.ts";

export interface Column<Row> {
  readonly head: ComponentChildren;
  /** In pixels; the column without one takes what is left. */
  readonly width?: number;
  /** Of the cell: `r` figures, `full` its own line when narrow, `end` at the right when narrow. */
  readonly class?: string;
  /** Hidden up to 1240 pixels (`m`), or up to 980 (`s`), where rows become lines. */
  readonly hide?: "m" | "s";
  /** It is drawn anew when the row or the columns are others, and each ten seconds; `now` is of then. */
  readonly cell: (row: Row, now: number) => ComponentChildren;
}

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Where Enter goes. The cell of the first column that has `full` should link there. */
  readonly hrefOf?: (row: Row) => string;
  /** Rows can be chosen, unless the session is read-only. */
  readonly selection?: Selection | undefined;
  readonly isLoading?: boolean;
  /** The rows are old, since newer ones cannot be had. */
  readonly isStale?: boolean;
  /** Takes the place of the rows when there are none. */
  readonly empty?: ComponentChildren;
  /** Came in while the reader watched: their ground fades. */
  readonly freshKeys?: ReadonlySet<string>;
  readonly hasKeys?: boolean;
}

export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, keyOf, selection, isLoading = false, hasKeys = true } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const picks = selection !== undefined && !isReadOnly.value ? selection : undefined;
  const keys = rows.map(keyOf);
  const cursor = useRowKeys({
    keys,
    open: (at) => {
      if (props.hrefOf !== undefined) navigate(props.hrefOf(rows[at]!));
    },
    selection: picks,
    isOn: hasKeys,
  });
  const { start, end, beforePx, afterPx, show } = useVisibleRows(body, rows.length);
  const cursorAt = cursor === null ? -1 : keys.indexOf(cursor);
  useEffect(() => show(cursorAt), [cursorAt]);
  if (!isLoading && rows.length === 0 && props.empty !== undefined) return <>{props.empty}</>;
  const width = columns.length + (picks === undefined ? 0 : 1);
  return (
    <table
      class={`lines ${props.isStale === true ? "stale" : ""}`}
      aria-label={props.label}
      aria-busy={isLoading}
      aria-rowcount={rows.length + 1}
    >
      <TableHead columns={columns} keys={keys} selection={picks} />
      <tbody ref={body}>
        {isLoading && rows.length === 0 ? <SkeletonRows columns={width} /> : null}
        <Spacer height={beforePx} columns={width} />
        {rows.slice(start, end).map((row, index) => {
          const key = keyOf(row);
          const classes = rowClasses({
            isCursor: key === cursor,
            isOn: picks?.keys.has(key),
            isFresh: props.freshKeys?.has(key),
          });
          return (
            <tr
              key={key}
              class={classes}
              aria-rowindex={start + index + 2}
              data-key={key}
              data-href={props.hrefOf?.(row)}
              onClick={openRow}
            >
              {picks === undefined ? null : (
                <SelectRow selection={picks} rowKey={key} keys={keys} />
              )}
              <Cells row={row} columns={columns} />
            </tr>
          );
        })}
        <Spacer height={afterPx} columns={width} />
      </tbody>
    </table>
  );
}

interface CellsProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
}

/** A part that reads a signal is drawn only when that or a property is another: of many rows few are. */
function Cells<Row>({ row, columns }: CellsProps<Row>) {
  const now = moment.value;
  return (
    <>
      {columns.map((column, at) => (
        <td key={at} class={classOf(column)}>
          {column.cell(row, now)}
        </td>
      ))}
    </>
  );
}

/** A click beside the link and the controls of a row opens it too, unless a text is being selected. */
function openRow(event: MouseEvent): void {
  const { href } = (event.currentTarget as HTMLElement).dataset;
  // As it was when it was pressed: a button that has begun to wait is drawn anew before this is called.
  const isOnControl = event
    .composedPath()
    .some((part) => part instanceof Element && part.matches("a, button, input, label"));
  const isSelecting = (window.getSelection()?.toString() ?? "") !== "";
  if (href === undefined || event.defaultPrevented || isOnControl || isSelecting) return;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  navigate(href);
}

function TableHead<Row>({
  columns,
  keys,
  selection,
}: {
  readonly columns: readonly Column<Row>[];
  readonly keys: readonly string[];
  readonly selection: Selection | undefined;
}) {
  return (
    <>
      <colgroup>
        {selection === undefined ? null : <col width="44" />}
        {columns.map(({ width, hide }, at) => (
          <col key={at} width={width} class={hide === undefined ? undefined : `hide-${hide}`} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {selection === undefined ? null : <SelectAll selection={selection} keys={keys} />}
          {columns.map((column, at) => (
            <th key={at} scope="col" class={headClassOf(column)}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height === 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns}>
        <svg width="1" height={height} />
      </td>
    </tr>
  );
}

function classOf({ class: own, hide }: Pick<Column<never>, "class" | "hide">): string | undefined {
  const classes = [own, hide === undefined ? undefined : `hide-${hide}`].filter(
    (name) => name !== undefined,
  );
  return classes.length === 0 ? undefined : classes.join(" ");
}

/** A head has the alignment of its cells, not their color. */
function headClassOf(column: Pick<Column<never>, "class" | "hide">): string | undefined {
  const isRight = /\br\b/.test(column.class ?? "");
  return classOf({
    ...(isRight ? { class: "r" } : {}),
    ...(column.hide === undefined ? {} : { hide: column.hide }),
  });
}

function rowClasses(row: {
  isCursor: boolean;
  isOn: boolean | undefined;
  isFresh: boolean | undefined;
}): string {
  return [
    row.isCursor ? "cursor" : "",
    row.isOn === true ? "on" : "",
    row.isFresh === true ? "fresh" : "",
  ]
    .filter(Boolean)
    .join(" ");
}
