/**
 * How many files and connections the process may have open; Infinity where the system sets no
 * limit. Node has raised it as far as it may.
 */
export function openFilesMax(): number {
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  // Without this the report looks up the names of all peers.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as Report;
  const max = userLimits?.open_files?.soft;
  return typeof max === "number" ? max : Infinity;
}

interface Report {
  readonly userLimits?: { readonly open_files?: { readonly soft: number | "unlimited" } };
}
