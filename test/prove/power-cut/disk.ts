import { basename, dirname } from "node:path";
import type { DiskStep } from "./disk-record.ts";

/** What a power cut leaves of the changes that were not synced. */
export type Cut = "nothing" | "everything" | "random" | "torn";
export const CUTS: readonly Cut[] = ["nothing", "everything", "random", "torn"];

/** Files by their paths; null is a folder. */
export type Image = ReadonlyMap<string, Buffer | null>;

type Change = { readonly offset: number; readonly bytes: Buffer } | { readonly size: number };

/** A file by whatever names it has: what is surely on the disk, and what was changed since. */
interface File {
  durable: Buffer;
  pending: Change[];
}

/** A folder, by the names in it. Each change of a name is durable only once the folder is synced. */
interface Folder {
  readonly durable: Map<string, File | Folder>;
  pending: { readonly name: string; readonly entry: File | Folder | null }[];
}

export interface DiskOptions {
  /** Syncs that the disk does not honor: a control that must lose. */
  readonly ignores?: "all syncs" | "syncs of folders";
}

/** A disk in the worst case that POSIX allows: only what is synced is kept, names apart from contents. */
export class Disk {
  readonly #root: string;
  readonly #ignores: DiskOptions["ignores"];
  /** What the process sees. */
  readonly #live = new Map<string, File | Folder>();
  #syncs = 0;
  #lastWrite: Change | null = null;

  constructor(root: string, { ignores }: DiskOptions = {}) {
    this.#root = root;
    this.#ignores = ignores;
    this.#live.set(root, newFolder());
  }

  /** How often something became durable: until then, a cut that keeps nothing leaves the same. */
  get syncs(): number {
    return this.#syncs;
  }

  apply(step: DiskStep): void {
    switch (step.kind) {
      case "create":
        return this.#name(step.path, { durable: Buffer.alloc(0), pending: [] });
      case "mkdir":
        return this.#name(step.path, newFolder());
      case "unlink":
        return this.#name(step.path, null);
      case "link":
        return this.#name(step.to, this.#live.get(step.path)!);
      case "rename":
        this.#name(step.to, this.#live.get(step.path)!);
        return this.#name(step.path, null);
      case "write":
        this.#lastWrite = { offset: step.offset, bytes: step.bytes };
        return void this.#file(step.path).pending.push(this.#lastWrite);
      case "truncate":
        return void this.#file(step.path).pending.push({ size: step.size });
      case "sync":
        return this.#sync(this.#live.get(step.path)!);
      case "answer":
        return;
    }
  }

  /** What is on the disk after a power cut now. `draw` gives numbers from 0 up to 1. */
  image(cut: Cut, draw: () => number): Image {
    const image = new Map<string, Buffer | null>();
    this.#walk(this.#live.get(this.#root) as Folder, this.#root, cut, draw, image);
    return image;
  }

  #walk(
    folder: Folder,
    path: string,
    cut: Cut,
    draw: () => number,
    image: Map<string, Buffer | null>,
  ): void {
    image.set(path, null);
    for (const [name, entry] of namesAfter(folder, cut, draw)) {
      const below = `${path}/${name}`;
      if ("pending" in entry && entry.durable instanceof Map) {
        this.#walk(entry as Folder, below, cut, draw, image);
      } else {
        image.set(below, this.#content(entry as File, cut, draw));
      }
    }
  }

  #content({ durable, pending }: File, cut: Cut, draw: () => number): Buffer {
    if (cut === "nothing") return durable;
    if (cut === "everything") return changed(durable, pending);
    if (cut === "torn") {
      return changed(
        durable,
        pending.map((one) => (one === this.#lastWrite ? torn(one, draw) : one)),
      );
    }
    const kept = pending.filter(() => draw() < 0.5);
    return changed(
      durable,
      kept.map((one) => (draw() < 0.3 ? torn(one, draw) : one)),
    );
  }

  #sync(entry: File | Folder): void {
    if (this.#ignores === "all syncs" || entry.pending.length === 0) return;
    this.#syncs += 1;
    if (!(entry.durable instanceof Map)) {
      const file = entry as File;
      file.durable = changed(file.durable, file.pending);
      file.pending = [];
      return;
    }
    if (this.#ignores === "syncs of folders") return;
    const folder = entry as Folder;
    for (const { name, entry: named } of folder.pending) rename(folder.durable, name, named);
    folder.pending = [];
  }

  #name(path: string, entry: File | Folder | null): void {
    const folder = this.#live.get(dirname(path)) as Folder;
    folder.pending.push({ name: basename(path), entry });
    rename(this.#live, path, entry);
  }

  #file(path: string): File {
    const file = this.#live.get(path);
    if (file === undefined) throw new Error(`${path} was written before it was created`);
    return file as File;
  }
}

/** Of names that changed since the last sync, each is as it was or as it became. */
function namesAfter(folder: Folder, cut: Cut, draw: () => number): Map<string, File | Folder> {
  const names = new Map(folder.durable);
  if (cut === "nothing") return names;
  const stopped = new Set<string>();
  for (const { name, entry } of folder.pending) {
    if (cut === "random" && draw() < 0.5) stopped.add(name);
    if (!stopped.has(name)) rename(names, name, entry);
  }
  return names;
}

function rename(
  names: Map<string, File | Folder>,
  name: string,
  entry: File | Folder | null,
): void {
  if (entry === null) names.delete(name);
  else names.set(name, entry);
}

function changed(durable: Buffer, changes: readonly Change[]): Buffer {
  if (changes.length === 0) return durable;
  let size = durable.length;
  const room = changes.reduce(
    (most, one) => Math.max(most, "size" in one ? one.size : one.offset + one.bytes.length),
    size,
  );
  const content = Buffer.alloc(room);
  durable.copy(content);
  for (const one of changes) {
    if ("size" in one) {
      if (one.size < size) content.fill(0, one.size, size);
      size = one.size;
    } else {
      one.bytes.copy(content, one.offset);
      size = Math.max(size, one.offset + one.bytes.length);
    }
  }
  return content.subarray(0, size);
}

/** The first part of a write. */
function torn(change: Change, draw: () => number): Change {
  if ("size" in change) return change;
  return { ...change, bytes: change.bytes.subarray(0, Math.floor(draw() * change.bytes.length)) };
}

function newFolder(): Folder {
  return { durable: new Map(), pending: [] };
}
