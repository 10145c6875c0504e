import type { IncomingMessage } from "node:http";
import type { Admission } from "./fair-share.ts";

/** Waits for admission unless the caller hangs up. */
export async function waitForAdmission(
  admission: Admission,
  { socket }: IncomingMessage,
): Promise<void> {
  socket.once("close", admission.leave);
  try {
    await admission.admitted;
  } finally {
    socket.off("close", admission.leave);
  }
}
