/** Saved addresses and tokens, in a file that only its owner can read. */
import { mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { replaceFile } from "../platform/durable-files.ts";
import { CommandError } from "./command-error.ts";

export interface Profile {
  readonly url: string;
  readonly token: string;
}

type Profiles = Readonly<Record<string, Profile>>;

export const DEFAULT_PROFILE = "default";

export function profilesPath(): string {
  const folder = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  return join(folder, "postrider", "profiles.json");
}

export function readProfiles(): Profiles {
  let text: string;
  try {
    text = readFileSync(profilesPath(), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return {};
    throw new CommandError(`${profilesPath()} cannot be read (${code})`);
  }
  try {
    return JSON.parse(text) as Profiles;
  } catch {
    throw new CommandError(
      `${profilesPath()} cannot be read as JSON; remove it and run postrider login`,
    );
  }
}

/** Without a profile, removes the one of that name. */
export function saveProfile(name: string, profile: Profile | undefined): void {
  const { [name]: _, ...others } = readProfiles();
  const profiles = profile === undefined ? others : { ...others, [name]: profile };
  mkdirSync(dirname(profilesPath()), { recursive: true, mode: 0o700 });
  replaceFile(profilesPath(), `${JSON.stringify(profiles, null, 2)}\n`);
}
