/** Copies a command to paste, with the token that was typed into this page, or a variable of the shell in its place. */
import { knownToken } from "../app/session.ts";
import { copyText } from "../parts/copy-button.tsx";

export const TOKEN_VARIABLE = "$POSTRIDER_TOKEN";
const NOTE = "Set POSTRIDER_TOKEN to a token of yours before you run it.";

export async function copyCommand(commandWith: (token: string) => string): Promise<void> {
  const token = knownToken();
  await copyText(
    commandWith(token ?? TOKEN_VARIABLE),
    "The command",
    token === null ? NOTE : undefined,
  );
}
