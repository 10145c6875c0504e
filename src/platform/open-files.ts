import { readFileSync } from "node:fs";

let known: number | undefined;

/**
 * How many files and connections the process may have open; Infinity where the system sets no
 * limit. Node has raised it as far as it may.
 */
export function openFilesMax(): number {
  known ??= limitInProc() ?? limitInReport();
  return known;
}

/** Node's report tells it too, but takes as long as a tenth of the start. */
function limitInProc(): number | null {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const max = /^Max open files +(\d+|unlimited)/m.exec(limits)?.[1];
    return max === undefined || max === "unlimited" ? null : Number(max);
  } catch {
    // Not Linux, or a sandbox without it.
    return null;
  }
}

function limitInReport(): number {
  const { userLimits } = process.report.getReport() as Report;
  const max = userLimits?.open_files?.soft;
  return typeof max === "number" ? max : Infinity;
}

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | "unlimited" } };
}
