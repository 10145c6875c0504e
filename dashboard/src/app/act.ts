/** A change that the reader asked for: it is done, and said; or it is not, and said why. */
import { announce, announceFailure } from "../parts/toast.tsx";

interface ActWords {
  /** `Queue orders-eu is paused.` */
  readonly done: string;
  /** `Queue orders-eu was not paused.` */
  readonly failed: string;
}

/** True when it was done. */
export async function act(
  change: () => Promise<unknown>,
  { done, failed }: ActWords,
  undo?: () => void,
): Promise<boolean> {
  try {
    await change();
    announce(done, undo);
    return true;
  } catch (error) {
    announceFailure(failed, error);
    return false;
  }
}
