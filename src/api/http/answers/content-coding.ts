import type { IncomingMessage } from "node:http";

export type ContentCoding = "br" | "gzip";

/** The offered coding that the caller ranks highest, the first of equals, or null for none. */
export function acceptedCoding(
  { headers }: Pick<IncomingMessage, "headers">,
  offered: readonly ContentCoding[],
): ContentCoding | null {
  const accepted = headers["accept-encoding"];
  if (accepted === undefined) return null;
  const ranks = new Map(accepted.split(",", CODINGS_MAX).map(rankOf));
  const best = offered.toSorted((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0))[0];
  return best !== undefined && (ranks.get(best) ?? 0) > 0 ? best : null;
}

function rankOf(coding: string): [name: string, rank: number] {
  const parts = coding.split(";", PARTS_MAX);
  const [name = "", ...parameters] = parts.map((part) => part.trim().toLowerCase());
  const rank = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return [name, Number(rank)];
}

/** No client knows as many; what follows is not read. */
const CODINGS_MAX = 32;
const PARTS_MAX = 4;
