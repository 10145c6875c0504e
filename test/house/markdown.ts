/** The Markdown of the repository as the house tests see it: pages, their links and their headings. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { ROOT } from "./sources.ts";

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Link {
  readonly page: string;
  /** As it stands in the page. */
  readonly written: string;
  /** From the root of the repository. */
  readonly path: string;
  readonly anchor: string;
}

export function readPages(...patterns: string[]): Page[] {
  const paths = globSync(patterns, { cwd: ROOT }).toSorted();
  return paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

/** Links to files of this repository, or to headings; what has a scheme is not looked at. */
export function linksOf({ path: page, text }: Page): Link[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, written]) => written!);
  return links
    .filter((written) => !/^[a-z]+:/.test(written))
    .map((written) => {
      const [target = "", anchor = ""] = written.split("#");
      const path = target === "" ? page : normalize(join(dirname(page), target));
      return { page, written, path, anchor };
    });
}

/** What a link can name in a page: its headings, in the form that GitHub gives them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of withoutBlocks(text).matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = slugOf(heading!);
    let name = slug;
    for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

function slugOf(heading: string): string {
  const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").trim();
  return shown
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, "");
}

/** The prose: neither blocks nor words in backticks. */
export function withoutCode(text: string): string {
  return withoutBlocks(text).replaceAll(/`[^`\n]*`/g, "");
}

/** The cells of the rows of the table below a heading. */
export function rowsOf(page: string, heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Files and folders of the repository that a text names. */
export function pathsIn(text: string): string[] {
  const paths = text.matchAll(/`((?:src|sdk|test|docs|dashboard)\/[\w./-]+|package\.json)`/g);
  return [...paths].map(([, path]) => path!);
}
