import { CommandError } from "../command-error.ts";

/**
 * Ctrl-C lets the request under way end, so that what is done is known; a second one ends at once. `work`
 * is given what it calls before the next request.
 */
export async function untilInterrupted<Done>(
  work: (goOn: () => void) => Promise<Done>,
): Promise<Done> {
  let isStopped = false;
  const stop = (): void => {
    if (isStopped) process.exit(130);
    isStopped = true;
  };
  process.on("SIGINT", stop);
  try {
    return await work(() => {
      if (isStopped) throw new CommandError("stopped by Ctrl-C", 130);
    });
  } finally {
    process.off("SIGINT", stop);
  }
}
