/** The filter of the messages, with suggestions from the rows that are shown. */
import { navigate } from "../app/router.ts";
import { FilterBar } from "../parts/filter-bar.tsx";
import { fieldOfValues, type FilterField, stateField, TIME_FIELD } from "../parts/filter-fields.ts";
import { STATES } from "./message-filter.ts";
import type { MessageRow } from "./message-row.ts";

export function MessageFilterBar({ rows }: { readonly rows: readonly MessageRow[] }) {
  const fields: readonly FilterField[] = [
    stateField(STATES),
    fieldOfValues("label", () => rows.flatMap(({ labels }) => labels)),
    fieldOfValues("url", () => rows.map(({ url }) => url)),
    fieldOfValues("host", () => rows.map(({ url }) => URL.parse(url)?.host)),
    fieldOfValues("queue", () => rows.map(({ queue }) => queue ?? "")),
    fieldOfValues("key", () => rows.map(({ key }) => key ?? "")),
    { name: "schedule" },
    { name: "group" },
    TIME_FIELD,
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
