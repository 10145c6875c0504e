/** A file that a command makes: a draft that gets its name when it is whole. */
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { syncFile, syncFolder } from "../platform/durable-files.ts";
import { createIds } from "../platform/ids.ts";
import { CommandError } from "./command-error.ts";
import { progress } from "./terminal/output.ts";

const ids = createIds();

/** What has no name of its own in the end is removed, also when the command is told to stop. */
export async function withDraft<Result>(
  draft: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const remove = (): void => {
    for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true });
  };
  const stop = (signal: StopSignal): void => {
    remove();
    progress("");
    process.exit(STOP_CODES[signal]);
  };
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
    remove();
  }
}

/** Ends the process that writes a draft when the command is told to stop, before the draft is removed. */
export async function withWriter<Result>(
  kill: () => void,
  ended: Promise<Result>,
): Promise<Result> {
  for (const signal of STOP_SIGNALS) process.prependOnceListener(signal, kill);
  try {
    return await ended;
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, kill);
  }
}

/** A file to make, which gets its name when it is whole. */
export interface NewFile {
  readonly draft: string;
  readonly target: string;
}

export function newFile(path: string): NewFile {
  const target = resolve(path);
  if (existsSync(target)) throw existing(target);
  return { draft: `${target}.${ids.secret(DRAFT_CHARACTERS)}.${DRAFT}`, target };
}

/**
 * Removes from the folder of a new file the drafts that killed commands have left there, whatever they were to become.
 * A command that still runs has written to its own within a day.
 */
export function removeOldDrafts({ target }: NewFile, now: number): void {
  const folder = dirname(target);
  try {
    for (const name of readdirSync(folder).filter((each) => DRAFT_NAME.test(each))) {
      const path = join(folder, name);
      const facts = lstatSync(path, { throwIfNoEntry: false });
      if (facts?.isFile() === true && now - facts.mtimeMs > OLD_MS) rmSync(path, { force: true });
    }
  } catch {
    // The folder is missing, which the new file tells, or the drafts are another user's.
  }
}

/** Gives a whole file its name, which no other file may have. Some file systems have no links. */
export function giveName({ draft, target }: NewFile): void {
  try {
    linkSync(draft, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw existing(target);
    copyFileSync(draft, target, constants.COPYFILE_EXCL);
    syncFile(target);
  }
  syncFolder(dirname(target));
}

function existing(target: string): CommandError {
  return new CommandError(`${target} exists; name a file that does not`);
}

type StopSignal = keyof typeof STOP_CODES;

/** With the exit codes by which a shell knows them. */
const STOP_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const STOP_SIGNALS = Object.keys(STOP_CODES) as StopSignal[];
const DRAFT_CHARACTERS = 10;
const DRAFT = "postrider-draft";
const DRAFT_NAME = new RegExp(String.raw`\.\w{${DRAFT_CHARACTERS}}\.${DRAFT}(-journal)?$`);
const OLD_MS = 24 * 3_600_000;
