/** The filter of the dead letters. */
import { FilterBar } from "../parts/filter-bar.tsx";
import {
  type FilterField,
  SEARCH_FIELD,
  STATUS_FIELD,
  TIME_FIELD,
} from "../parts/filter-fields.ts";
import { DEAD_FIELDS } from "./dead-filter.ts";

export function DeadFilterBar() {
  return (
    <FilterBar
      label="Filter dead letters"
      hint="Search URL, error or label, or filter: status:503 queue:… since:1h"
      fields={DEAD_FIELDS.map(fieldOf)}
      onText={(text) => (/^\d{3}$/.test(text) ? "status" : /^https?:\/\//.test(text) ? "url" : "q")}
    />
  );
}

function fieldOf(name: string): FilterField {
  const known = [SEARCH_FIELD, STATUS_FIELD, TIME_FIELD];
  return known.find((field) => field.name === name) ?? { name };
}
