/** Commands that change many things, or what is named by its id, each a process of its own. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { Terminal } from "../support/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "postrider-bulk-commands-"));
const endings: (() => unknown)[] = [];
let destination: DestinationServer;
let terminal: Terminal;

before(async () => {
  const scope = { after: (end: () => unknown) => void endings.push(end) };
  destination = await DestinationServer.startFor(scope, ({ url: path }) =>
    path.startsWith("/fail") ? { status: 500 } : {},
  );
  await Command.serve(scope, ["--data", join(folder, ".postrider")], {}, "dev").url();
  terminal = new Terminal(folder);
});

after(async () => {
  for (const end of endings.toReversed()) await end();
  rmSync(folder, { recursive: true, force: true });
});

test("a batch reads a pipe whole, says what it stored before a bad line, and outlives its reader", async () => {
  const line = JSON.stringify({ url: `${destination.url}/piped`, label: "piped" });
  writeFileSync(join(folder, "piped.jsonl"), `${line}\n`.repeat(150));
  const piped = await terminal.shell("postrider batch <(cat piped.jsonl; echo '{')", 1);
  assert.match(piped.errors, /^postrider: 100 messages stored; --skip 100 continues$/m);
  assert.match(piped.errors, /^postrider: line 151 cannot be read as JSON/m);
  const array = await terminal.run(["batch", "-"], 0, `[${line},${line}]`);
  assert.equal(array.output, "2 messages stored\n");
  const marked = await terminal.run(["batch", "-"], 0, `\ufeff${line}\n`);
  assert.equal(marked.output, "1 message stored\n");
  await terminal.shell("set -o pipefail; postrider batch piped.jsonl --quiet | head -n 1");
  await destination.received("/piped", 253);
  const waited = `postrider publish ${destination.url}/fail --retries 0 --wait`;
  await terminal.shell(`set -o pipefail; ${waited} | true`, 6);
  const quiet = await terminal.run(["messages", "--label", "piped", "--limit", "1", "--quiet"]);
  assert.match(quiet.errors, /only the first 1 are shown/);
});

test("a dry run changes nothing that is named by its id, and a filter beside ids is refused", async () => {
  const words = ["publish", `${destination.url}/later`, "--delay", "1h", "--quiet"];
  const id = (await terminal.says(...words)).trim();
  assert.equal(await terminal.says("retry", id, "--dry-run"), "It would send 1 of 1 id.\n");
  assert.equal(await terminal.says("cancel", id, "--dry-run"), "It would cancel 1 of 1 id.\n");
  for (const more of [["--label", "x"], ["--all"], ["--over", "1m"]]) {
    await terminal.run(["retry", id, ...more], 1);
  }
  await terminal.run(["dlq", "delete", id, "--all", "--yes"], 1);
  assert.match(await terminal.says("cancel", id), /is canceled/);
  assert.equal(await terminal.says("cancel", id, "--dry-run"), "It would cancel 0 of 1 id.\n");
});
