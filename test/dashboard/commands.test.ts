/** Commands to copy work in a shell, whatever the message holds. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { publishCurl, publishTypeScript } from "../../dashboard/src/message/commands.ts";

test("quotes and dollars reach the server as they are", () => {
  const body = `{"it's": "$HOME \`x\` \\"}`;
  const command = publishCurl("http://127.0.0.1:1", "to'ken", {
    url: "https://example.com/?a=1&b=2",
    method: "POST",
    headers: [["Svc-Label", "a'b"]],
    body,
  });
  const seen = execFileSync("sh", ["-c", command.replace("curl", "printf '%s\\n'")], {
    encoding: "utf8",
  });
  assert.deepEqual(seen.trimEnd().split("\n"), [
    "-X",
    "POST",
    "http://127.0.0.1:1/v2/publish/https://example.com/?a=1&b=2",
    "-H",
    "Authorization: Bearer to'ken",
    "-H",
    "Svc-Label: a'b",
    "-d",
    body,
  ]);
});

const SENT = {
  url: "https://example.com/hook",
  method: "PUT",
  headers: [
    ["Content-Type", "application/json"],
    ["Upstash-Forward-X-Own", "1"],
    ["Upstash-Retries", "2"],
    ["Upstash-Retry-Delay", "1000 * retried"],
    ["Upstash-Delay", "10s"],
    ["Upstash-Label", "a,b"],
    ["Upstash-Flow-Control-Key", "k"],
    ["Upstash-Flow-Control-Value", "parallelism=2, rate=10, period=60s"],
    ["Upstash-Method", "PUT"],
  ] as [string, string][],
  body: '{"a":1}',
};

test("the TypeScript says all that the command says", () => {
  assert.equal(
    publishTypeScript({ ...SENT, queue: "orders" }),
    `import { Client } from "@postrider/sdk";

await new Client().queue("orders").enqueueJSON({
  url: "https://example.com/hook",
  method: "PUT",
  headers: {"X-Own":"1"},
  delay: "10s",
  retries: 2,
  retryDelay: "1000 * retried",
  label: "a,b",
  flowControl: { key: "k", parallelism: 2, rate: 10, period: "60s" },
  body: {"a":1},
});`,
  );
  const command = publishCurl("http://127.0.0.1:1", "$T", { ...SENT, queue: "orders" });
  assert.match(command, /\/v2\/enqueue\/orders\/https:\/\/example\.com\/hook/);
  for (const [name, value] of SENT.headers) assert.ok(command.includes(`'${name}: ${value}'`));
});

test("a binary body reaches the server as it is", () => {
  const bytes = new Uint8Array([0, 255, 39, 10]);
  const command = publishCurl("http://127.0.0.1:1", "t", { ...SENT, body: "", bytes });
  const shell = command.replace(/curl[^]*/, "od -An -tu1");
  const seen = execFileSync("sh", ["-c", shell], { encoding: "utf8" });
  assert.deepEqual(seen.trim().split(/\s+/), ["0", "255", "39", "10"]);
  assert.match(command, /--data-binary @-$/);
  assert.match(publishTypeScript({ ...SENT, bytes }), /body: Buffer\.from\("AP8nCg==", "base64"\)/);
});
