/** Which server a command asks, and with which token. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { CONTROL_FILE, readControlFile } from "../config/control-file.ts";
import { CommandError } from "./command-error.ts";
import type { Flags } from "./flags.ts";
import { DEFAULT_PROFILE, type Profile, profilesPath, readProfiles } from "./profiles.ts";
import { reachable } from "./reachable.ts";

export interface Connection {
  readonly url: string;
  readonly token: string;
}

/** What is given with the command wins over the environment, and that over what was saved. */
export async function connectionOf(flags: Flags): Promise<Connection> {
  const name = profileName(flags);
  const profiles = readProfiles();
  if (name !== DEFAULT_PROFILE && !Object.hasOwn(profiles, name)) {
    const known = Object.keys(profiles).join(", ") || "none yet";
    throw new CommandError(`there is no profile ${name}; there is: ${known}`, 5);
  }
  const address = addressOf(flags);
  const { url } = address;
  const token = givenToken(flags) ?? (await knownToken(flags, address));
  if (token !== undefined) return { url, token };
  throw new CommandError(
    `a token for ${url} is needed`,
    4,
    "run postrider login, set POSTRIDER_TOKEN and POSTRIDER_URL, or give --token-file",
  );
}

/** Where `postrider login` signs in; there may be no profile of that name yet. */
export function loginAddress(flags: Flags): string {
  return addressOf(flags).url;
}

interface Address {
  readonly url: string;
  readonly isSaved: boolean;
}

function addressOf(flags: Flags): Address {
  const saved = savedProfile(flags)?.url;
  const variableUrl = variable("POSTRIDER_URL");
  const given =
    flags.text("server") ??
    (saved !== undefined && namedProfile(flags) !== undefined ? undefined : variableUrl);
  const url = given ?? saved ?? devAddress();
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new CommandError(
      `the address of a server is a URL with http:// or https://, but is ${url}`,
    );
  }
  return { url: url.replace(/\/+$/, ""), isSaved: given === undefined && saved !== undefined };
}

/** Each token is sent only to the server that it is meant for. */
async function knownToken(flags: Flags, { url, isSaved }: Address): Promise<string | undefined> {
  const profile = savedProfile(flags);
  const saved = profile?.url === url ? profile.token : undefined;
  if (saved !== undefined) warnOfReaders(profilesPath());
  if (saved !== undefined && (isSaved || namedProfile(flags) !== undefined)) return saved;
  const isLocal = isLoopback(url);
  const found = (isSaved && !isLocal ? undefined : variable("POSTRIDER_TOKEN")) ?? saved;
  if (found !== undefined || !isLocal) return found;
  const { devCredentials } = await import("../operations/account/public-credentials.ts");
  return devCredentials().token;
}

/** From a file, or from the command line, where other users of the machine can read it. */
export function givenToken(flags: Flags): string | undefined {
  const file = flags.text("token-file");
  if (file !== undefined) {
    const token = tokenIn(file);
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

function tokenIn(file: string): string {
  if (file === "-") return readFileSync(0, "utf8").trim();
  try {
    warnOfReaders(file);
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`--token-file ${file} cannot be read (${code})`);
  }
}

/** The modes of files say nothing on Windows. */
function warnOfReaders(file: string): void {
  const found = statSync(file);
  if (process.platform === "win32" || !found.isFile() || (found.mode & READ_BY_OTHERS) === 0)
    return;
  process.stderr.write(
    `postrider: other users of this machine can read the token in ${file}; chmod 600 makes it yours alone\n`,
  );
}

export function profileName(flags: Flags): string {
  return namedProfile(flags) ?? DEFAULT_PROFILE;
}

function namedProfile(flags: Flags): string | undefined {
  return flags.text("profile") ?? variable("POSTRIDER_PROFILE");
}

function savedProfile(flags: Flags): Profile | undefined {
  const name = profileName(flags);
  const profiles = readProfiles();
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The server that `postrider dev` runs in this folder, which may have taken another port. */
function devAddress(): string {
  const control = readControlFile(resolve(".postrider"));
  if (control === null) return "http://127.0.0.1:8080";
  const url = reachable(control.url);
  // The folder may be a clone, whose author must not get the token of the person who runs the command.
  if (isLoopback(url)) return url;
  throw new CommandError(
    `the server that .postrider/${CONTROL_FILE} names is not on this machine: ${url}`,
    1,
    "if it is yours, give --server",
  );
}

/** An empty variable counts as not set. */
function variable(name: string): string | undefined {
  const text = process.env[name];
  return text === "" ? undefined : text;
}

/** An HTTP server on this machine. */
export function isLoopback(url: string): boolean {
  return LOOPBACK.test(url);
}

const READ_BY_OTHERS = 0o044;
const LOOPBACK = /^http:\/\/(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/;
