import { invalidRequest, shownName } from "../headers/header-value.ts";

const PARAMETERS_MAX = 2_000;

/** One `name=value` of a query, as it was sent. */
export interface RawParameter {
  readonly name: string;
  readonly rawValue: string;
}

/** The parameters of a query in their order. Names are decoded, values are not. */
export function readQuery(query: string): RawParameter[] {
  if (query === "") return [];
  const parts = query.split("&", PARAMETERS_MAX + 1);
  if (parts.length > PARAMETERS_MAX) {
    throw invalidRequest(`the query has more than ${PARAMETERS_MAX} parameters`);
  }
  return parts.filter((part) => part !== "").map(readParameter);
}

/** Decodes one name or value; `field` names it in the refusal. */
export function decodeQueryText(text: string, field: string): string {
  const blanked = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!blanked.includes("%")) return blanked;
  try {
    return decodeURIComponent(blanked);
  } catch {
    throw invalidRequest(`${shownName(field)}: is not percent-encoded UTF-8`);
  }
}

function readParameter(part: string): RawParameter {
  const equalsAt = part.indexOf("=");
  const rawName = equalsAt < 0 ? part : part.slice(0, equalsAt);
  return {
    name: decodeQueryText(rawName, rawName),
    rawValue: equalsAt < 0 ? "" : part.slice(equalsAt + 1),
  };
}
