/** `postrider secret rotate`: asks for one step after another until nothing is left of the old key. */
import type { SecretKeyStep } from "../../wire/account/secret-key.ts";
import type { Ask } from "./console-client.ts";
import { Flags } from "../flags.ts";
import { counted, plain, progress, tell } from "../terminal/output.ts";

/** Ctrl-C ends it between two steps, or in one: the next run continues. */
export async function rotateSecret(
  ask: Ask,
  _words: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const step = (send: object): Promise<SecretKeyStep> =>
    ask({ method: "POST", path: "/v2/svc/secret-key", send }) as Promise<SecretKeyStep>;
  try {
    let latest = await step({});
    let { accounts } = latest;
    while (!latest.done) {
      progress(`${counted(accounts, "account")} encrypted again ...`);
      latest = await step({ key_id: latest.key_id });
      accounts += latest.accounts;
    }
    progress("");
    tell(new Flags(given), { ...latest, accounts }, sentences({ ...latest, accounts }));
  } catch (error) {
    progress("");
    throw error;
  }
}

function sentences({ key_id: keyId, accounts, kept_as: keptAs }: SecretKeyStep): string[] {
  return [
    `The signing keys of ${counted(accounts, "account")} were encrypted again; all are encrypted with the secret key ${plain(keyId)} now.`,
    ...(keptAs === null ? FROM_SETTINGS : keptLines(keptAs)),
    "Make a backup now.",
  ];
}

function keptLines(keptAs: string): string[] {
  return [
    `It is secret.key in the data folder. The key before is kept as ${plain(keptAs)}.`,
    "Backups from before need that one. Remove it when you no longer have them.",
  ];
}

const FROM_SETTINGS = [
  "Now remove POSTRIDER_PREVIOUS_SECRET_KEY from every node, and start them again one after another.",
  "Keep the previous key elsewhere for as long as you have backups from before.",
];
