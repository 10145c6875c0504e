/** One variable connects a program to `postrider dev`: with our SDK, and with the dev mode of the public client. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { ROOT } from "../house/sources.ts";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshFolder } from "../support/fresh-folder.ts";

const execute = promisify(execFile);

/** Publishes, and has the receiver of the same package accept what arrived. */
const PROGRAM = `
const { Client, Receiver } = await import(process.env.SDK);
const [, , command, url, signature] = process.argv;
if (command === "publish") {
  const { messageId } = await new Client().publishJSON({ url, body: { hello: "world" } });
  console.log(messageId);
} else {
  console.log(await new Receiver().verify({ signature, body: '{"hello":"world"}', url }));
}
`;

test("our SDK needs POSTRIDER_DEV alone, and the public client QSTASH_DEV", async (t) => {
  const folder = freshFolder(t);
  const destination = await DestinationServer.startFor(t);
  const service = Command.serve(t, ["--data", join(folder, "data")], {}, "dev");
  const server = await service.url();
  const program = join(folder, "program.mjs");
  writeFileSync(program, PROGRAM);
  const publicClient = join(ROOT, "test/node_modules/@upstash/qstash/index.mjs");
  for (const [path, header, env] of [
    ["/ours", "svc-signature", { SDK: join(ROOT, "sdk/src/sdk.ts"), POSTRIDER_DEV: server }],
    [
      "/public",
      "upstash-signature",
      { SDK: publicClient, QSTASH_DEV: "1", QSTASH_DEV_PORT: new URL(server).port },
    ],
  ] as const) {
    const url = `${destination.url}${path}`;
    const run = async (...words: readonly string[]): Promise<string> =>
      (await execute(process.execPath, [program, ...words], { env: { HOME: folder, ...env } }))
        .stdout;
    assert.match(await run("publish", url), /^msg_\w{26}$/m);
    const [{ headers }] = await destination.received(path);
    assert.match(await run("verify", url, headers[header]!), /^true$/m);
  }
});
