/** The fenced blocks of the pages that users read, and how each of them is tried. */
import { readPages } from "../house/markdown.ts";

export interface Block {
  readonly page: string;
  /** Of the fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** `<!-- example: name -->` above the fence: a test of that name runs it. */
  readonly example: string | undefined;
  /** `<!-- not run: reason -->` above the fence. */
  readonly notRun: string | undefined;
}

/** These are run, or marked as not run. */
export const RUN_LANGUAGES = ["sh", "ts", "js", "python", "go", "php"];
/** These are shown: answers, drawings. */
export const SHOWN_LANGUAGES = ["json", "text", "mermaid"];
/** These configure other programs and are always marked as not run. */
export const CONFIGURATION_LANGUAGES = ["yaml", "nginx", "haproxy", "ini"];

export const PAGES = ["README.md", "sdk/README.md", "docs/guides/*.md"];

export function readBlocks(...patterns: string[]): Block[] {
  return readPages(...patterns).flatMap(({ path, text }) => blocksOf(path, text));
}

export function blocksOf(page: string, text: string): Block[] {
  return [...text.matchAll(BLOCK)].map((match) => {
    const [, mark, indent = "", language = "", code = ""] = match;
    const before = text.slice(0, match.index + match[0].indexOf("```"));
    return {
      page,
      line: before.split("\n").length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      example: /^example: (\S+)$/.exec(mark ?? "")?.[1],
      notRun: /^not run: (.+)$/.exec(mark ?? "")?.[1],
    };
  });
}

export const lineOf = ({ page, line }: Block): string => `${page}:${line}`;

const BLOCK = /(?:<!-- (.*?) -->\n+)?^( *)```(.*)\n([\s\S]*?)^ *```$/gm;
