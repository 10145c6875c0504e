import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StaticFile } from "../answers/static-file.ts";

interface Manifest {
  readonly files: readonly {
    readonly path: string;
    readonly file: string;
    readonly type: string;
    readonly hash: string;
  }[];
}

/** The built dashboard in memory. A newer build in the folder replaces it. */
export class DashboardFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, StaticFile> = new Map();
  #builtAt: number | undefined;

  constructor(folder: string = BUILT_FOLDER) {
    this.#folder = folder;
  }

  /** The page of every screen, or null while there is no build. */
  page(): StaticFile | null {
    this.#refresh();
    return this.#files.get("/") ?? null;
  }

  asset(path: string): StaticFile | null {
    if (this.#files.size === 0) this.#refresh();
    return this.#files.get(path) ?? null;
  }

  #refresh(): void {
    const manifest = join(this.#folder, "manifest.json");
    const builtAt = statSync(manifest, { throwIfNoEntry: false })?.mtimeMs;
    if (builtAt === this.#builtAt) return;
    try {
      this.#files = this.#read(manifest);
      this.#builtAt = builtAt;
    } catch {
      // A build is being written: what was read before is shown until it is complete.
    }
  }

  #read(manifest: string): ReadonlyMap<string, StaticFile> {
    const { files } = JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
    return new Map(
      files.map(({ path, file, type, hash }) => {
        const compressed = readFileSync(join(this.#folder, file));
        return [path, { type, hash, compressed, plain: null }];
      }),
    );
  }
}

const IS_SOURCE = import.meta.url.endsWith(".ts");
/** A checkout builds into its cache, a package carries the build beside its code. */
const BUILT_FOLDER = fileURLToPath(
  new URL(IS_SOURCE ? "../../../../.cache/dashboard" : "../../../dashboard", import.meta.url),
);
