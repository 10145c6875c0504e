/** The same program in a process that may have so many files and connections open. */
export function withFewFiles(
  openFilesMax: number,
  program: readonly string[],
): readonly [file: string, args: string[]] {
  return ["/bin/sh", ["-c", `ulimit -n ${openFilesMax} && exec "$@"`, "sh", ...program]];
}
