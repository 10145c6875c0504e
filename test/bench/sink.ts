import { createServer } from "node:net";

import { eachRequest } from "./http-stream.ts";

/**
 * A destination that costs next to nothing: it answers every request with a 200 and counts. The
 * first argument is the size of the answer's body in bytes; without it the body is empty.
 * Its first line of output is its port; each line of input is answered with the count so far.
 */
const answerBytes = Number(process.argv[2] ?? 0);
const ANSWER = Buffer.from(
  answerBytes === 0
    ? "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
    : `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answerBytes}\r\n\r\n` +
        `"${"x".repeat(answerBytes - 2)}"`,
);
let received = 0;

const server = createServer({ noDelay: true }, (socket) => {
  const feed = eachRequest((count) => {
    received += count;
    for (let answer = 0; answer < count; answer++) socket.write(ANSWER);
  });
  socket.on("data", feed);
  socket.on("error", () => socket.destroy());
});

// On Linux all of 127.0.0.0/8 leads here, so that one sink is as many hosts as a variant needs.
server.listen(0, "0.0.0.0", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the sink has no port");
  process.stdout.write(`${address.port}\n`);
});
process.stdin.on("data", () => process.stdout.write(`${received}\n`));
process.stdin.on("end", () => process.exit(0));
