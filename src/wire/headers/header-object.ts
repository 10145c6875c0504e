import type { HeaderList } from "../../core/model/message/message.ts";
import { requireFewHeaders } from "./header-count.ts";
import { refusal, shownName } from "./header-value.ts";

/** Headers given as a JSON object of names and values, in its order. */
export function readHeaderObject(value: Readonly<Record<string, unknown>>): HeaderList {
  const headers = Object.entries(value).flatMap(([name, given]) => {
    const values: readonly unknown[] = Array.isArray(given) ? given : [given];
    return values.map((text) => {
      if (typeof text === "string") return [name, text] as const;
      throw refusal(`headers: ${shownName(name)} must be a string or an array of strings`);
    });
  });
  requireFewHeaders(headers.flat());
  return headers;
}
