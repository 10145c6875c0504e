/** The filter of the dead letters. */
import { TIMES } from "../message/message-filter.ts";
import { FilterBar, type FilterField } from "../parts/filter-bar.tsx";
import { DEAD_FIELDS } from "./dead-filter.ts";

export function DeadFilterBar() {
  const fields = DEAD_FIELDS.map((name): FilterField => {
    if (name === "time") {
      return {
        name,
        suggest: () => Object.keys(TIMES),
        check: (value) => (value in TIMES ? null : `Give one of ${Object.keys(TIMES).join(", ")}.`),
        show: (value) => TIMES[value]?.words ?? value,
      };
    }
    if (name === "status") {
      return { name, check: checkStatus };
    }
    return { name };
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
