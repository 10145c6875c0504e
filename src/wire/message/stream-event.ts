import { readCursor, writeCursor } from "../filters/cursor.ts";

/** A log entry of a live stream, as a server-sent event; its id resumes the stream behind it. */
export function writeLogEvent(secret: string, number: number, entry: object): string {
  const id = writeCursor(secret, "stream", String(number));
  return `event: log\nid: ${id}\ndata: ${JSON.stringify(entry)}\n\n`;
}

/** The number of the entry to which the event with this id belongs. */
export function readEventId(secrets: readonly string[], id: string): number {
  return Number(readCursor(secrets, "stream", id));
}
