#!/usr/bin/env node
// The command `postrider`. In a clone it is the source, run with the Node of the clone; in the package, the built program.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
if (existsSync(source)) {
  process.argv.splice(2, 0, source);
  await import("./bootstrap.mjs");
} else {
  await import("../dist/cli/postrider.js");
}
