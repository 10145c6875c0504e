/** Takes a stream of PostgreSQL's protocol apart into its messages. The first one of a client has no type. */
export function protocolMessages(
  startsUntyped: boolean,
  use: (type: string, bytes: Buffer) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = startsUntyped;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = untyped ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      use(untyped ? "" : String.fromCharCode(rest[0] ?? 0), rest.subarray(0, length));
      rest = rest.subarray(length);
      untyped = false;
    }
  };
}
