/** A file that has no name of its own yet. */
import { constants, copyFileSync, existsSync, linkSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { syncFile, syncFolder } from "../../platform/durable-files.ts";
import { createIds } from "../../platform/ids.ts";
import { CommandError } from "../command-error.ts";
import { progress } from "../terminal/output.ts";

const ids = createIds();

/** What has no name of its own in the end is removed, also at Ctrl-C. */
export async function withDraft<Result>(
  draft: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const remove = (): void => {
    for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true });
  };
  const stop = (): void => {
    remove();
    progress("");
    process.exit(130);
  };
  process.once("SIGINT", stop);
  try {
    return await work();
  } finally {
    process.off("SIGINT", stop);
    remove();
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
  return { draft: `${target}.${ids.secret(DRAFT_CHARACTERS)}`, target };
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

const DRAFT_CHARACTERS = 10;
