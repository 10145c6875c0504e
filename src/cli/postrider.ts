#!/usr/bin/env node
/**
 * The installed command: checks the Node version before it loads a module that older versions lack.
 */
const NODE_MAJOR_MIN = 24;

if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) {
  await import("./main.ts");
} else {
  const needed = `Postrider needs Node ${NODE_MAJOR_MIN} or newer`;
  process.stderr.write(`postrider: ${needed}; this is ${process.version}.\n`);
  process.exitCode = 1;
}
