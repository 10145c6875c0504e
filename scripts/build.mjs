// Compiles src/ into dist/ and copies beside it what the compiler leaves behind: the SQL files.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, globSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

rmSync("dist", { recursive: true, force: true });
const compiled = spawnSync(
  process.execPath,
  ["node_modules/typescript/bin/tsc", "--project", "tsconfig.build.json"],
  { stdio: "inherit" },
);
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
for (const file of globSync("src/**/*.sql")) cpSync(file, join("dist", relative("src", file)));
const command = "dist/cli/main.js";
if (existsSync(command)) chmodSync(command, 0o755);
