/** The filter of the dead letters. */
import { FilterBar } from "../parts/filter-bar.tsx";
import { type FilterField, TIME_FIELD } from "../parts/filter-fields.ts";
import { DEAD_FIELDS } from "./dead-filter.ts";

export function DeadFilterBar() {
  const fields = DEAD_FIELDS.map((name): FilterField => {
    if (name === TIME_FIELD.name) return TIME_FIELD;
    return name === "status" ? { name, check: checkStatus } : { name };
  });
  return (
    <FilterBar
      label="Filter dead letters"
      hint="Filter by label, url, queue, key, status, text of the error"
      fields={fields}
      onText={(text) =>
        /^\d{1,3}$/.test(text) ? "status" : /^https?:\/\//.test(text) ? "url" : "label"
      }
    />
  );
}

function checkStatus(value: string): string | null {
  return /^\d{1,3}$/.test(value) ? null : "Give a status as a number; 0 for no answer.";
}
