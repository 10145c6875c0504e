/** The commands that only dev answers, each a process of its own. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Command } from "../support/command.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { Terminal } from "../support/terminal.ts";

test("a server that is not dev has no clock, and the commands say so", async (t) => {
  const folder = freshFolder(t);
  const environment = { POSTRIDER_TOKEN: "token-of-a-server-without-a-clock-0123" };
  const server = Command.serve(t, ["--data", join(folder, "data")], environment);
  const terminal = new Terminal(folder, { ...environment, POSTRIDER_URL: await server.url() });
  for (const words of [["show"], ["advance", "2d"], ["until", "report"]]) {
    const { errors } = await terminal.run(["clock", ...words], 1);
    assert.equal(errors, "postrider: only postrider dev has a clock to put forward\n");
  }
});

test("the clock is shown, put forward, and forgotten at a restart, which says so", async (t) => {
  const folder = freshFolder(t);
  const destination = await DestinationServer.startFor(t);
  const data = join(folder, ".postrider");
  const first = Command.serve(t, ["--data", data], {}, "dev");
  await first.url();
  const terminal = new Terminal(folder);
  assert.match(await terminal.says("clock"), /^[-\d: ]+ {2}the time of this machine\n$/);
  const id = await terminal.says("publish", `${destination.url}/later`, "--delay", "1d", "--quiet");
  const report = ["schedules", "create", `${destination.url}/report`, "0 9 * * *"];
  await terminal.says(...report, "--id", "report");
  assert.match(await terminal.says("clock", "advance", "2d"), / {2}2 d ahead; a restart of dev/);
  assert.equal(destination.to("/later").length, 1);
  assert.equal(destination.to("/report").length, 2);
  assert.match(await terminal.says("show", id.trim()), /^state +DELIVERED$/m);
  const leap = await terminal.json<{ isSettled: boolean }>("clock", "until", "report");
  assert.equal(leap.isSettled, true);
  assert.equal(destination.to("/report").length, 3);
  const later = ["publish", `${destination.url}/waits`, "--delay", "2h", "--quiet"];
  const waiting = (await terminal.says(...later)).trim();
  assert.match(
    await terminal.says("show", waiting),
    /^waits +.* for (2 h|1 h 5\d min|1[12]\d min)$/m,
  );
  await terminal.run(["clock", "until", "nothing"], 5);
  const refused = await terminal.run(["clock", "advance", "40000d"], 1);
  assert.match(refused.errors, /is longer than 100 years\n {2}field: advance/);
  first.signal("SIGTERM");
  await first.ends();
  const second = Command.serve(t, ["--data", data], {}, "dev");
  await second.says(
    /the clock shows the time of this machine again; what is stored is up to \d+ [hd] ahead/,
  );
  assert.match(await terminal.says("clock", "show"), /the time of this machine/);
});
