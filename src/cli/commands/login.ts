import { askSecret } from "../terminal/ask-person.ts";
import { CommandError } from "../command-error.ts";
import { connectionOf, givenToken, loginAddress, profileName } from "../connection.ts";
import { Flags, type LocalHandlers } from "../flags.ts";
import { clientOf } from "../invocation.ts";
import { Output } from "../terminal/output.ts";
import { DEFAULT_PROFILE, profilesPath, readProfiles, saveProfile } from "../profiles.ts";

export const HANDLERS: LocalHandlers = {
  login: async ([server], flags) => {
    const name = profileName(flags);
    const url = loginAddress(
      new Flags({ server: server ?? flags.text("server"), profile: flags.text("profile") }),
    );
    const token = givenToken(flags) ?? (await askToken(url));
    const account = await clientOf({ url, token }).account.get();
    saveProfile(name, { url, token });
    const who = `${account.customer_id || account.id} (${account.access})`;
    new Output(flags).done(`Signed in to ${url} as ${who}; saved in ${profilesPath()}.`, {
      profile: name,
      url,
      account: account.id,
    });
  },
  logout: async (_words, flags) => {
    const name = profileName(flags);
    const isKnown = Object.hasOwn(readProfiles(), name);
    if (!isKnown) throw new CommandError(`there is no profile ${name}`, 5);
    saveProfile(name, undefined);
    new Output(flags).done(`The profile ${name} is removed.`);
  },
};

/** Of dev on this machine the token is known; a person types any other. */
async function askToken(url: string): Promise<string> {
  if (process.stdin.isTTY) {
    const typed = (await askSecret(`Token for ${url}: `)).trim();
    if (typed !== "") return typed;
  }
  return (await connectionOf(new Flags({ server: url, profile: DEFAULT_PROFILE }))).token;
}
