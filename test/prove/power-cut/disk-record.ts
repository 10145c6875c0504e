import { readFileSync } from "node:fs";

/** One step of a recorded process: a change below the folder, a sync, or an acknowledgement that was about to leave. */
export type DiskStep =
  | { readonly kind: "create" | "mkdir" | "unlink" | "sync"; readonly path: string }
  | { readonly kind: "link" | "rename"; readonly path: string; readonly to: string }
  | {
      readonly kind: "write";
      readonly path: string;
      readonly offset: number;
      readonly bytes: Buffer;
    }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  | { readonly kind: "answer"; readonly messageIds: readonly string[] };

/** Reads what `record-disk.c` wrote: lines, each followed by as many bytes as its last word says. */
export function readRecord(path: string): DiskStep[] {
  const text = readFileSync(path);
  const steps: DiskStep[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf(10, at);
    const words = text.toString("latin1", at, end).split(" ");
    const length = Number(words.at(-1));
    at = end + 1 + length;
    steps.push(stepOf(words, text.subarray(end + 1, at)));
  }
  return steps;
}

function stepOf([kind = "", path, third]: readonly string[], bytes: Buffer): DiskStep {
  switch (kind) {
    case "create":
    case "mkdir":
    case "unlink":
    case "sync":
      return { kind, path: path! };
    case "link":
    case "rename":
      return { kind, path: path!, to: third! };
    case "write":
      return { kind, path: path!, offset: Number(third), bytes };
    case "truncate":
      return { kind, path: path!, size: Number(third) };
    case "answer":
      return { kind, messageIds: bytes.toString("latin1").match(/(?<="messageId":")\w+/g) ?? [] };
    default:
      throw new Error(`a step that is not known: ${kind}`);
  }
}
