import { createServer } from "node:net";

import { eachRequest } from "./http-stream.ts";

/**
 * A destination that costs next to nothing: it answers every request with an empty 200 and counts.
 * Its first line of output is its port; each line of input is answered with the count so far.
 */
const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
let received = 0;

const server = createServer({ noDelay: true }, (socket) => {
  const feed = eachRequest((count) => {
    received += count;
    for (let answer = 0; answer < count; answer++) socket.write(ANSWER);
  });
  socket.on("data", feed);
  socket.on("error", () => socket.destroy());
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the sink has no port");
  process.stdout.write(`${address.port}\n`);
});
process.stdin.on("data", () => process.stdout.write(`${received}\n`));
process.stdin.on("end", () => process.exit(0));
