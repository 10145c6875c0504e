import { textOf } from "../message/body.ts";

/** The credentials of a Basic Authorization header; null for any other header. */
export function readBasicCredentials(
  authorization: string | undefined,
): { readonly user: string; readonly password: string } | null {
  if (authorization === undefined || authorization.length > CHARACTERS_MAX) return null;
  const [, encoded] = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const bytes = Buffer.from(encoded, "base64");
  if (unpadded(bytes.toString("base64")) !== unpadded(encoded)) return null;
  const text = textOf(bytes);
  const colonAt = text?.indexOf(":") ?? -1;
  if (text === null || colonAt < 1) return null;
  return { user: text.slice(0, colonAt), password: text.slice(colonAt + 1) };
}

const unpadded = (encoded: string): string => encoded.replace(/=+$/, "");

const CHARACTERS_MAX = 2_048;
