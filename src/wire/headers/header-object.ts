import type { HeaderList } from "../../core/model/message/message.ts";
import type { Schema } from "../json/schema.ts";
import { requireFewHeaders } from "./header-count.ts";
import { refusal, shownName } from "./header-value.ts";

/** The schema of headers that `readHeaderObject` reads. */
export function headerObject(
  description: string,
  example: Readonly<Record<string, string>>,
): Schema<Readonly<Record<string, unknown>>> {
  return {
    type: "object",
    description,
    additionalProperties: { type: ["string", "array"], items: { type: "string" } },
    examples: [example],
  };
}

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
