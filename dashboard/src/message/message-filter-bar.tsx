/** The filter of the messages, with the most frequent values of the rows that are shown. */
import { counted } from "../app/format.ts";
import { navigate } from "../app/router.ts";
import { FilterBar } from "../parts/filter-bar.tsx";
import {
  fieldOfValues,
  type FilterField,
  SEARCH_FIELD,
  stateField,
  STATUS_FIELD,
  TIME_FIELD,
} from "../parts/filter-fields.ts";
import { STATES, WAIT_REASONS } from "./message-filter.ts";
import type { MessageRow } from "./message-row.ts";

export function MessageFilterBar({ rows }: { readonly rows: readonly MessageRow[] }) {
  const fields: readonly FilterField[] = [
    SEARCH_FIELD,
    IDS_FIELD,
    stateField(STATES),
    {
      ...STATUS_FIELD,
      ...fieldOfValues("status", () => rows.map(({ status }) => status?.toString())),
    },
    { name: "error" },
    fieldOfValues("host", () => rows.map(({ url }) => URL.parse(url)?.host)),
    fieldOfValues("url", () => rows.map(({ url }) => url)),
    fieldOfValues("label", () => rows.flatMap(({ labels }) => labels)),
    fieldOfValues("queue", () => rows.map(({ queue }) => queue ?? "")),
    fieldOfValues("key", () => rows.map(({ key }) => key ?? "")),
    WAITING_FIELD,
    { name: "schedule" },
    { name: "group" },
    TIME_FIELD,
  ];
  return (
    <FilterBar
      label="Filter messages"
      hint="Search URL, error or label, paste an id, or filter: status:503 host:… since:1h"
      fields={fields}
      onText={fieldOf}
    />
  );
}

/** Where an action leads to the messages that it made. */
const IDS_FIELD: FilterField = {
  name: "ids",
  word: "only",
  isHidden: true,
  show: (value) => counted(value.split(",").length, "message"),
};

const WAITING_FIELD: FilterField = {
  name: "waiting",
  suggest: () => ["any", ...WAIT_REASONS].map((value) => ({ value })),
  check: (value) =>
    ["any", ...WAIT_REASONS].includes(value)
      ? null
      : `Give any, or one of ${WAIT_REASONS.join(", ")}.`,
  show: (value) => (value === "any" ? "for any reason" : value),
};

/** An id opens its message or run, an address begins a URL, anything else is searched for. */
function fieldOf(text: string): string | null {
  if (/^(msg|wfr)_\w+$/.test(text)) {
    navigate(`/${text.startsWith("msg") ? "messages" : "runs"}/${text}`);
    return null;
  }
  return /^https?:\/\//.test(text) ? "url" : "q";
}
