import { bodyReader } from "../json/schema-reader.ts";
import {
  closedObject,
  flag,
  integer,
  object,
  orNull,
  text,
  type TypeOf,
  withKeywords,
} from "../json/schema.ts";
import { BODY_BYTES_MAX } from "./account-request.ts";

const EXAMPLE_ID = "5f0c2d9a4b7e8316";

export const SECRET_KEY_STEP = object("SecretKeyRotation", {
  key_id: text("The id of the new secret key. The key cannot be found from it.", EXAMPLE_ID),
  previous_key_id: orNull(
    text("The id of the key before; null when nothing was encrypted with another."),
  ),
  accounts: integer("Accounts whose signing keys this request has encrypted again.", 200),
  done: flag("Nothing is left that another key has encrypted.", false),
  kept_as: orNull(text("The file that keeps the replaced key; null with keys from settings.")),
});

export const SECRET_KEY_REQUEST = closedObject(
  {},
  {
    key_id: withKeywords(text("The new key, as the first answer names it.", EXAMPLE_ID), {
      pattern: "^[0-9a-f]{16}$",
    }),
  },
);

export const readSecretKeyRequest = bodyReader(SECRET_KEY_REQUEST, BODY_BYTES_MAX);
export type SecretKeyStep = TypeOf<typeof SECRET_KEY_STEP>;
