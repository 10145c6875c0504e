/** Completion in zsh, whose own functions for offering words and files are stood in for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { freshFolder } from "../support/fresh-folder.ts";
import { Terminal } from "../support/terminal.ts";
import { findZsh } from "../support/zsh.ts";

const zsh = findZsh();
const TRY = `
compdef() { }
compadd() { shift; offered+=("$@") }
_files() { offered+=(FILES) }
try() { offered=(); words=("$@"); CURRENT=$#; _postrider; print -r -- "$offered" }
`;

test(
  "zsh is offered files where an argument may be one, and not beside commands",
  {
    skip: zsh === null && "no zsh here, and none of Debian",
  },
  async (t) => {
    const script = await new Terminal(freshFolder(t)).says("completion", "zsh");
    const tried =
      'try postrider ""\ntry postrider queues ""\ntry postrider replay ""\ntry postrider replay --t\n';
    const { stdout, stderr } = spawnSync(zsh!, ["-f"], {
      input: `${TRY}${script}${tried}`,
      encoding: "utf8",
    });
    assert.equal(stderr, "");
    const [top, group, command, flag, ...others] = stdout.trim().split("\n");
    assert.match(top!, /^dev serve .* completion --help --version$/);
    assert.equal(group, "list set show pause resume delete --help");
    assert.equal(command, "--to --body --listen --json --help FILES");
    assert.equal(flag, "--to --body --listen --json --help");
    assert.deepEqual(others, []);
  },
);
