import type { Instant } from "../../core/model/time.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import { naming, refusal } from "../headers/header-value.ts";
import { readMembers } from "../json/json.ts";
import {
  inlineObject,
  choice,
  instant,
  list,
  object,
  orNull,
  text,
  type TypeOf,
} from "../json/schema.ts";
import { BODY_BYTES_MAX } from "./account.ts";

interface ShownToken {
  readonly tokenId: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly lastUsedAt: Instant | null;
}

/** A token without its secret. */
export function tokenJson({ tokenId, isReadOnly, ...shown }: ShownToken): TypeOf<typeof TOKEN> {
  return {
    id: tokenId,
    name: shown.name,
    scope: isReadOnly ? "read-only" : "full",
    createdAt: shown.createdAt,
    lastUsedAt: shown.lastUsedAt,
    expiresAt: shown.expiresAt,
  };
}

export interface NewTokenBody {
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly lifeMs: number | null;
}

export function readNewToken(body: Uint8Array): NewTokenBody {
  const known = ["name", "scope", "expiresIn"];
  const { name, scope, expiresIn } = readMembers(body, BODY_BYTES_MAX, known);
  if (typeof name !== "string" || !NAME.test(name)) {
    throw refusal("name: must be 1 to 64 characters, and not begin or end with a blank");
  }
  if (scope !== "full" && scope !== "read-only") {
    throw refusal('scope: must be "full" or "read-only"');
  }
  return { name, isReadOnly: scope === "read-only", lifeMs: parseLife(expiresIn) };
}

function parseLife(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw refusal('expiresIn: must be a duration such as "30d"');
  const lifeMs = naming("expiresIn", () => parseDuration(value));
  if (lifeMs < LIFE_MS_MIN) throw refusal("expiresIn: is shorter than 1m");
  if (lifeMs > LIFE_MS_MAX) throw refusal("expiresIn: is longer than 3650d");
  return lifeMs;
}

const SCOPES = ["full", "read-only"] as const;
const NAME = /^(?! )[^\p{Cc}\p{Cs}]{1,64}(?<! )$/u;
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
export const NEW_TOKEN = inlineObject(
  { name: text("1 to 64 characters.", "ci"), scope: choice(SCOPES, "What it may do.") },
  { expiresIn: text("When it ends, such as `30d`. Default: never.") },
);
