import type { NamedToken } from "../../core/model/account/account.ts";
import type { Instant } from "../../core/model/time.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import { invalidRequest, prefixErrors } from "../headers/header-value.ts";
import { bodyReader } from "../json/schema-reader.ts";
import {
  closedObject,
  choice,
  instant,
  list,
  object,
  orNull,
  text,
  type TypeOf,
  refusedAs,
  withKeywords,
} from "../json/schema.ts";
import { BODY_BYTES_MAX } from "./account-request.ts";

/** A token of an account, without its secret. */
export interface TokenFacts extends Omit<NamedToken, "tokenHash"> {
  readonly lastUsedAt: Instant | null;
}

export function tokenJson({ tokenId, isReadOnly, ...shown }: TokenFacts): TypeOf<typeof TOKEN> {
  return { id: tokenId, scope: isReadOnly ? "read-only" : "full", ...shown };
}

export interface NewToken extends Pick<NamedToken, "name" | "isReadOnly"> {
  /** Null for a token that does not expire. */
  readonly lifeMs: number | null;
}

export function readNewToken(body: Uint8Array): NewToken {
  const { name, scope, expiresIn } = readBody(body);
  return { name, isReadOnly: scope === "read-only", lifeMs: parseLife(expiresIn) };
}

function parseLife(duration: string | null | undefined): number | null {
  if (duration === undefined || duration === null) return null;
  const lifeMs = prefixErrors("expiresIn", () => parseDuration(duration));
  if (lifeMs < LIFE_MS_MIN) throw invalidRequest("expiresIn: is shorter than 1m");
  if (lifeMs > LIFE_MS_MAX) throw invalidRequest("expiresIn: is longer than 3650d");
  return lifeMs;
}

const SCOPES = ["full", "read-only"] as const;
const LIFE_MS_MIN = 60_000;
const LIFE_MS_MAX = 3_650 * 86_400_000;

const TOKEN_MEMBERS = {
  id: text("The id of the token.", "tok_01JGFJJZ00"),
  name: text("Its name.", "ci"),
  scope: choice(SCOPES, "What it may do."),
  createdAt: instant("When it was added."),
  lastUsedAt: orNull(instant("When it was last used; null for never.")),
  expiresAt: orNull(instant("When it ends; null for never.")),
};
const TOKEN = object("Token", TOKEN_MEMBERS);
export const TOKENS = list(TOKEN);
export const ADDED_TOKEN = object("AddedToken", {
  ...TOKEN_MEMBERS,
  token: text("The token. It is shown only here."),
});
export const NEW_TOKEN = closedObject(
  {
    name: refusedAs(
      "must be 1 to 64 characters, and not begin or end with a blank",
      withKeywords(text("1 to 64 characters.", "ci"), {
        pattern: "^(?! )[^\\p{Cc}\\p{Cs}]{1,64}(?<! )$",
      }),
    ),
    scope: refusedAs('must be "full" or "read-only"', choice(SCOPES, "What it may do.")),
  },
  {
    expiresIn: refusedAs(
      'must be a duration such as "30d"',
      orNull(text("When it ends, such as `30d`. Default: never.")),
    ),
  },
);
const readBody = bodyReader(NEW_TOKEN, BODY_BYTES_MAX);
