/** Which server a command asks, and with which token. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readControlFile } from "../config/control-file.ts";
import { CommandError } from "./command-error.ts";
import type { Flags } from "./flags.ts";
import { DEFAULT_PROFILE, type Profile, readProfiles } from "./profiles.ts";
import { reachable } from "./reachable.ts";

export interface Connection {
  readonly url: string;
  readonly token: string;
}

/** What is given with the command wins over the environment, and that over what was saved. */
export async function connectionOf(flags: Flags): Promise<Connection> {
  const url = addressOf(flags);
  const token = await tokenOf(flags, url);
  if (token !== undefined) return { url, token };
  throw new CommandError(
    `a token for ${url} is needed`,
    4,
    "run postrider login, set POSTRIDER_TOKEN, or give --token-file",
  );
}

export function addressOf(flags: Flags): string {
  const chosen = chosenProfile(flags);
  const url =
    flags.text("server") ??
    (chosen.isNamed ? chosen.profile?.url : undefined) ??
    variable("POSTRIDER_URL") ??
    chosen.profile?.url ??
    devAddress();
  if (/^https?:\/\/./.test(url)) return url.replace(/\/+$/, "");
  throw new CommandError(`the address of a server begins with http:// or https://, but is ${url}`);
}

async function tokenOf(flags: Flags, url: string): Promise<string | undefined> {
  const given = givenToken(flags);
  if (given !== undefined) return given;
  const { profile, isNamed } = chosenProfile(flags);
  // A saved token is sent to the server that it was saved for, and to no other.
  const saved = profile?.url === url ? profile.token : undefined;
  const found = (isNamed ? saved : undefined) ?? variable("POSTRIDER_TOKEN") ?? saved;
  if (found !== undefined || !LOOPBACK.test(url)) return found;
  const { devCredentials } = await import("../operations/account/public-credentials.ts");
  return devCredentials().token;
}

/** From a file, or from the command line, where other users of the machine can read it. */
export function givenToken(flags: Flags): string | undefined {
  const file = flags.text("token-file");
  if (file !== undefined) {
    const token = readFileSync(file === "-" ? 0 : file, "utf8").trim();
    if (token !== "") return token;
    throw new CommandError(`${file} holds no token`, 4);
  }
  const token = flags.text("token");
  if (token !== undefined) {
    process.stderr.write(
      "postrider: other users of this machine can read --token; use --token-file or postrider login\n",
    );
  }
  return token;
}

export function profileName(flags: Flags): string {
  return flags.text("profile") ?? variable("POSTRIDER_PROFILE") ?? DEFAULT_PROFILE;
}

function chosenProfile(flags: Flags): { profile: Profile | undefined; isNamed: boolean } {
  const name = profileName(flags);
  const profiles = readProfiles();
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined && name !== DEFAULT_PROFILE) {
    const known = Object.keys(profiles).join(", ") || "none yet";
    throw new CommandError(`there is no profile ${name}; there is: ${known}`, 5);
  }
  return { profile, isNamed: flags.text("profile") !== undefined };
}

/** The server that `postrider dev` runs in this folder, which may have taken another port. */
function devAddress(): string {
  const control = readControlFile(resolve(".postrider"));
  return control === null ? "http://127.0.0.1:8080" : reachable(control.url);
}

/** An empty variable counts as not set. */
function variable(name: string): string | undefined {
  const text = process.env[name];
  return text === "" ? undefined : text;
}

const LOOPBACK = /^http:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/;
