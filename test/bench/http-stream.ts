/**
 * Counts whole HTTP messages in a stream, for peers that are trusted to send Content-Length. Cheap
 * on purpose: the load and the sink share the machine with what is measured.
 */
export function eachRequest(onRequests: (count: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let count = 0;
    for (;;) {
      const headEnd = data.indexOf("\r\n\r\n");
      if (headEnd === -1) break;
      const end = headEnd + 4 + contentLength(data.toString("latin1", 0, headEnd));
      if (data.length < end) break;
      count += 1;
      data = data.subarray(end);
    }
    rest = data;
    if (count > 0) onRequests(count);
  };
}

function contentLength(head: string): number {
  const match = /\r\ncontent-length: *(\d+)/i.exec(head);
  return match ? Number(match[1]) : 0;
}
