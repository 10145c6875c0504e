/** Bodies in chunks of one byte, many to a packet: cheap to send, and dear to keep as they come. */
import { once } from "node:events";
import type { Socket } from "node:net";

/** The body in pieces as they go on the wire, with its end. */
export function* tinyChunks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PER_PACKET) {
    yield left >= PER_PACKET ? PACKET : PACKET.subarray(0, left * CHUNK.length);
  }
  yield Buffer.from("0\r\n\r\n");
}

/** Writes a head and then its body in chunks of one byte, as fast as the other end takes them. */
export async function writeTinyChunks(socket: Socket, head: string, bytes: number): Promise<void> {
  const closed = once(socket, "close");
  socket.write(head);
  for (const piece of tinyChunks(bytes)) {
    if (socket.destroyed) return;
    if (!socket.write(piece)) await Promise.race([once(socket, "drain"), closed]);
  }
}

const CHUNK = "1\r\nx\r\n";
const PER_PACKET = 10_000;
const PACKET = Buffer.from(CHUNK.repeat(PER_PACKET));
