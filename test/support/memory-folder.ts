/**
 * Temporary files in memory, where the machine has room for them. Most of what the tests write are
 * databases that live for seconds: to copy one for PostgreSQL takes a seventh of the processor time there,
 * and a commit does not wait for a disk. The proofs stay on the disk.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

/** The tests of stores, packages, crashes and clusters held up to 600 MB at once; processes need memory too. */
const ROOM_MIN_BYTES = 3 * 2 ** 30;
const SHARED_MEMORY = "/dev/shm";

/** Makes the folder that test files find in TMPDIR; it goes when this process ends. */
export function keepFilesInMemory(): void {
  // Whoever runs the tests may have chosen a folder.
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return;
  const folder = mkdtempSync(join(SHARED_MEMORY, "postrider-tests-"));
  // PostgreSQL and the server of the image run as other users.
  chmodSync(folder, 0o755);
  process.env["TMPDIR"] = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= ROOM_MIN_BYTES;
  } catch {
    return false;
  }
}
