/** The source as the house tests see it: files, their code, and what they import. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** The text without lines that are only comment, where a word means nothing. */
  readonly code: string;
  /** What it imports, as written. */
  readonly imports: readonly string[];
}

export interface Edge {
  readonly from: string;
  readonly to: string;
}

export function readSources(...patterns: string[]): SourceFile[] {
  const paths = globSync(patterns, {
    cwd: ROOT,
    exclude: (name) => name === "node_modules",
  }).toSorted();
  return paths.map((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const code = withoutComments(text);
    return { path, text, code, imports: importsIn(code) };
  });
}

/** Imports between files, as paths from the root of the repository. */
export function edgesOf(files: readonly SourceFile[]): Edge[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter((name) => name.startsWith("."))
      .map((name) => ({ from: path, to: join(dirname(path), name) })),
  );
}

/** Every specifier in the text: static, of types, for side effects, dynamic, and workers by URL. */
export function importsIn(code: string): string[] {
  const patterns = [
    /^\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']/gm,
    /^\s*import\s*["']([^"']+)["']/gm,
    /\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g,
    /\bnew URL\(\s*["'`](\.[^"'`]+\.[cm]?[jt]s)["'`]/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1]!));
}

/** Without lines that are only comment; the end of a line may be a URL in a string. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}

/** What git has or would add; in a copy without git, all that is not known to be made. */
export function repositoryFiles(): string[] {
  const flags = ["--cached", "--others", "--exclude-standard", "-z"];
  const listed = spawnSync("git", ["ls-files", ...flags], { cwd: ROOT, encoding: "utf8" });
  const made = ["node_modules", ".git", ".cache", ".postrider", "dist", "coverage"];
  const names =
    listed.status === 0
      ? listed.stdout.split("\0").filter(Boolean)
      : globSync("**", { cwd: ROOT, exclude: (name) => made.includes(name) });
  return names.filter((name) => {
    const path = join(ROOT, name);
    return existsSync(path) && statSync(path).isFile();
  });
}
