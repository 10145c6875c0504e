import type { IncomingMessage } from "node:http";
import type { Place } from "./fair-share.ts";

/** Waits for a place unless the caller hangs up. */
export async function waitForPlace(place: Place, { socket }: IncomingMessage): Promise<void> {
  socket.once("close", place.leave);
  try {
    await place.admitted;
  } finally {
    socket.off("close", place.leave);
  }
}
