/** Commands to copy work in a shell, whatever the message holds. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { publishCurl } from "../../dashboard/src/message/commands.ts";

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
