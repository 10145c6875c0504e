import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { API } from "typescript/unstable/sync";

import { type Mutation, mutationsOf } from "./mutations.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Names and statements that a defect leaves without a use say nothing about its behavior. */
const LEFT_OVER = new Set([6133, 6138, 6192, 6196, 6198, 6199, 7027]);

/** The sources as the compiler sees them. */
export class SourceProgram {
  readonly #changed = new Map<string, string>();
  readonly #compiler = new API({ cwd: ROOT, fs: { readFile: (path) => this.#changed.get(path) } });
  #snapshot = this.#compiler.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.json")] });

  mutations(file: string): Mutation[] {
    const source = this.#program().getSourceFile(join(ROOT, file));
    if (source === undefined) throw new Error(`${file} is no file of the program`);
    return mutationsOf(source);
  }

  /** Whether the types of the file itself let the defect pass; what they refuse, `npm test` notices. */
  compiles(file: string, changed: string): boolean {
    return this.#passes(file, changed, join(ROOT, file));
  }

  /** Whether those of every other file do too, which takes seconds. */
  compilesEverywhere(file: string, changed: string): boolean {
    return this.#passes(file, changed, undefined);
  }

  close(): void {
    this.#compiler.close();
  }

  #passes(file: string, changed: string, checked: string | undefined): boolean {
    const path = join(ROOT, file);
    this.#change(path, changed);
    const program = this.#program();
    const found = [
      ...program.getSyntacticDiagnostics(checked),
      ...program.getSemanticDiagnostics(checked),
    ];
    this.#change(path, undefined);
    return found.every(({ code }) => LEFT_OVER.has(code));
  }

  #program() {
    return this.#snapshot.getProjects()[0]!.program;
  }

  #change(path: string, text: string | undefined): void {
    if (text === undefined) this.#changed.delete(path);
    else this.#changed.set(path, text);
    const before = this.#snapshot;
    this.#snapshot = this.#compiler.updateSnapshot({ fileChanges: { changed: [path] } });
    before.dispose();
  }
}

export function mutated(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
