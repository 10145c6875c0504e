import { type OpenFiles, openFilesNote, shareOpenFiles } from "../core/policy/limits/open-files.ts";
import { openFilesMax } from "../platform/open-files.ts";

/** What this process may have open. */
export function openFiles(): OpenFiles {
  return shareOpenFiles(openFilesMax());
}

/** Notes for the log about a process that may open few files. */
export function openFilesNotes(): string[] {
  const note = openFilesNote(openFilesMax());
  return note === null ? [] : [note];
}
