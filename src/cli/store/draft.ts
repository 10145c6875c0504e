/** A file that has no name of its own yet. */
import { rmSync } from "node:fs";
import { progress } from "../terminal/output.ts";

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

export const DRAFT_CHARACTERS = 10;
