import type { SigningKeys } from "../../../sdk/src/answers/account.ts";
import { confirm } from "../terminal/ask-person.ts";
import type { Handlers } from "../invocation.ts";

export const HANDLERS: Handlers = {
  "keys show": async ({ client, output }) => {
    const keys = await client.keys.get();
    output.one(keys, () => keyLines(keys));
  },
  "keys rotate": async ({ client, output, flags }) => {
    await confirm("make the next signing key the current one", flags);
    const keys = await client.keys.rotate();
    output.one(keys, () => keyLines(keys));
  },
};

/** As an application's environment has them. */
function keyLines({ current, next }: SigningKeys): string {
  return `POSTRIDER_CURRENT_SIGNING_KEY=${current}\nPOSTRIDER_NEXT_SIGNING_KEY=${next}`;
}
