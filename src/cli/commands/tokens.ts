import type { Token } from "../../../sdk/src/answers/account.ts";
import { confirm } from "../terminal/ask-person.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, word } from "../invocation.ts";
import { type Columns, plain } from "../terminal/output.ts";
import { timeText } from "../terminal/time-text.ts";

export const HANDLERS: Handlers = {
  "tokens list": async ({ client, output }) => {
    await output.list(await client.account.tokens(), TOKENS);
  },
  "tokens add": async ({ client, output, flags, ...invocation }) => {
    const added = await client.account.addToken({
      name: word(invocation, 0),
      scope: flags.text("scope") as Token["scope"] | undefined,
      expiresIn: flags.text("expires-in"),
    });
    output.one(added, () => `${added.token}\n(shown only now)`, added.token);
  },
  "tokens revoke": async ({ client, output, flags, ...invocation }) => {
    const given = word(invocation, 0);
    const tokens = await client.account.tokens();
    const named = tokens.filter(({ id, name }) => id === given || name === given);
    const [token] = named;
    if (token === undefined) throw new CommandError(`there is no token ${given}`, 5);
    if (named.length > 1) {
      const ids = named.map(({ id }) => id).join(", ");
      throw new CommandError(
        `${named.length} tokens have the name ${given}`,
        5,
        `give an id: ${ids}`,
      );
    }
    await confirm(`revoke the token ${plain(token.name)}`, flags);
    await client.account.revokeToken(token.id);
    output.done("The token is revoked.");
  },
};

const TOKENS: Columns<Token> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  SCOPE: ({ scope }) => scope,
  CREATED: ({ createdAt }) => timeText(createdAt),
  "LAST USED": ({ lastUsedAt }) => (lastUsedAt === null ? "never" : timeText(lastUsedAt)),
  ENDS: ({ expiresAt }) => (expiresAt === null ? "never" : timeText(expiresAt)),
};
