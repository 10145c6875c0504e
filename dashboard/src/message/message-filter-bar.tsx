/** The filter of the messages, with suggestions from the rows that are shown. */
import { navigate } from "../app/router.ts";
import { FilterBar, type FilterField } from "../parts/filter-bar.tsx";
import { STATES, TIMES } from "./message-filter.ts";
import type { MessageRow } from "./message-row.ts";

export function MessageFilterBar({ rows }: { readonly rows: readonly MessageRow[] }) {
  const fields: readonly FilterField[] = [
    {
      name: "state",
      suggest: () => STATES,
      check: (value) =>
        STATES.includes(value.toUpperCase() as never)
          ? null
          : `No state is called ${value}. There are ${STATES.join(", ")}.`,
    },
    { name: "label", suggest: () => distinct(rows.flatMap(({ labels }) => labels)) },
    { name: "url", suggest: () => distinct(rows.map(({ url }) => url)) },
    { name: "host", suggest: () => distinct(rows.map(({ url }) => URL.parse(url)?.host ?? "")) },
    { name: "queue", suggest: () => distinct(rows.map(({ queue }) => queue ?? "")) },
    { name: "key", suggest: () => distinct(rows.map(({ key }) => key ?? "")) },
    { name: "schedule" },
    { name: "group" },
    {
      name: "time",
      suggest: () => Object.keys(TIMES),
      check: (value) => (value in TIMES ? null : `Give one of ${Object.keys(TIMES).join(", ")}.`),
      show: (value) => TIMES[value]?.words ?? value,
    },
  ];
  return (
    <FilterBar
      label="Filter messages"
      hint="Add a filter: state, label, url, queue, key, schedule, or paste an id"
      fields={fields}
      onText={fieldOf}
    />
  );
}

/** An id opens its message, an address is a url, a name with a dot is a host, anything else a label. */
function fieldOf(text: string): string | null {
  if (/^msg_\w+$/.test(text)) {
    navigate(`/messages/${text}`);
    return null;
  }
  if (/^https?:\/\//.test(text)) return "url";
  return /^[\w-]+(\.[\w-]+)+(:\d+)?$/.test(text) ? "host" : "label";
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].filter((value) => value !== "").slice(0, SUGGESTIONS_MAX);
}

const SUGGESTIONS_MAX = 20;
