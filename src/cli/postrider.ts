#!/usr/bin/env node
/**
 * The built command: checks the Node version before it loads a module that older versions lack.
 */
const NODE_MIN = [22, 13] as const;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) {
  withoutSqliteNotice();
  await import("./main.ts");
} else {
  const needed = `Postrider needs Node ${NODE_MIN.join(".")} or newer`;
  process.stderr.write(`postrider: ${needed}; this is ${process.version}.\n`);
  process.exitCode = 1;
}

/** Node 22 calls its SQLite experimental whenever it is loaded. */
function withoutSqliteNotice(): void {
  const emitWarning = process.emitWarning.bind(process) as (...given: unknown[]) => void;
  process.emitWarning = (...given: unknown[]) => {
    if (!String(given[0]).startsWith("SQLite is an experimental feature")) emitWarning(...given);
  };
}
