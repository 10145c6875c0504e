/** Bodies in chunks of one byte, many to a packet: cheap to send, and dear to keep as they come. */
import type { Socket } from "node:net";

/** The body in pieces as they go on the wire, with its end. */
export function* tinyChunks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PER_PACKET) {
    yield left >= PER_PACKET ? PACKET : PACKET.subarray(0, left * CHUNK.length);
  }
  yield Buffer.from("0\r\n\r\n");
}

/** Writes a head and then its body in chunks of one byte, as fast as the other end takes them. */
export function writeTinyChunks(socket: Socket, head: string, bytes: number): Promise<void> {
  return writeChunks(socket, head, tinyChunks(bytes));
}

/** Writes a head and what follows it, as fast as the other end takes it, until it hangs up. */
export async function writeChunks(
  socket: Socket,
  head: string,
  pieces: Iterable<Uint8Array>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(head);
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (socket.write(piece)) continue;
    const drained = new Promise<void>((resolve) => socket.once("drain", resolve));
    await Promise.race([drained, closed]);
  }
}

const CHUNK = "1\r\nx\r\n";
const PER_PACKET = 10_000;
const PACKET = Buffer.from(CHUNK.repeat(PER_PACKET));
