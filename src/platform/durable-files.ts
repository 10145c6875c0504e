/** Files that survive a power cut: their content and the folder that names them are synced. */
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";

/** Only the owner of the process may read and write the files it creates. */
export const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Creates a folder and its missing parents. Syncs the existing ones too: an earlier process may
 * have been killed after creating one and before syncing it.
 */
export function makeFolder(folder: string): void {
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    const parent = dirname(folder);
    if (!fs.existsSync(parent)) makeFolder(parent);
    try {
      fs.mkdirSync(folder, { mode: FOLDER_MODE });
    } catch (error) {
      if (!isExisting(error) || !fs.statSync(folder).isDirectory()) throw error;
    }
  }
  for (let above = dirname(folder); ; above = dirname(above)) {
    syncFolder(above);
    if (above === dirname(above)) break;
  }
}

/** Makes the names in a folder durable: files that were created, linked, renamed or removed. */
export function syncFolder(folder: string): void {
  try {
    syncFile(folder);
  } catch (error) {
    if (!UNSYNCABLE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Errors of a folder with another owner, or of a file system that does not sync folders. */
const UNSYNCABLE = new Set(["EACCES", "EPERM", "EINVAL", "EISDIR", "ENOTSUP", "EROFS"]);

/**
 * Creates an empty file that other users cannot read. An existing file is not opened: closing it
 * would release the locks that this process holds on it.
 */
export function createFile(path: string): void {
  try {
    fs.closeSync(fs.openSync(path, "wx", FILE_MODE));
  } catch (error) {
    if (!isExisting(error)) throw error;
  }
}

/**
 * Creates a file whose content is synced before it has its name; the name is durable once the
 * folder is synced. An existing file is left unchanged. `removeDrafts` removes the drafts of killed
 * processes.
 */
export function createWhole(path: string, text: string, draftName: string): void {
  const draft = `${path}.${draftName}${DRAFT}`;
  try {
    writeSynced(draft, text);
    fs.linkSync(draft, path);
  } catch (error) {
    // Another process that created the file may have removed the draft.
    if (!isExisting(error) && fs.existsSync(draft)) throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** Replaces a file that need not survive a power cut; no reader ever sees a part of it. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}${DRAFT}`;
  fs.rmSync(draft, { force: true });
  fs.writeFileSync(draft, text, { flag: "wx", mode: FILE_MODE });
  fs.renameSync(draft, path);
}

/** Removes the drafts of a file that exists now. */
export function removeDrafts(path: string): void {
  const folder = dirname(path);
  for (const name of fs.readdirSync(folder)) {
    const isDraft = name.startsWith(`${basename(path)}.`) && name.endsWith(DRAFT);
    if (isDraft) fs.rmSync(join(folder, name), { force: true });
  }
}

function writeSynced(path: string, text: string): void {
  withFile(path, "wx", (file) => {
    fs.writeFileSync(file, text);
    fs.fsyncSync(file);
  });
}

/** Syncs a file that another process may have left unsynced. */
export function syncFile(path: string): void {
  withFile(path, "r", fs.fsyncSync);
}

function withFile(path: string, flags: "r" | "wx", use: (file: number) => void): void {
  const file = fs.openSync(path, flags, FILE_MODE);
  try {
    use(file);
  } finally {
    fs.closeSync(file);
  }
}

const DRAFT = ".tmp";

function isExisting(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "EEXIST";
}
