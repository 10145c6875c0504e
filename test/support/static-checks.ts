/** What is checked without running the product: format, types and lint. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface StaticCheck {
  readonly name: string;
  readonly arguments: readonly string[];
}

export const STATIC_CHECKS: readonly StaticCheck[] = [
  { name: "format", arguments: ["node_modules/oxfmt/bin/oxfmt", "--check"] },
  { name: "types", arguments: ["node_modules/typescript/bin/tsc"] },
  {
    name: "types of the SDK, without Node's",
    arguments: [
      "node_modules/typescript/bin/tsc",
      "--project",
      "sdk/tsconfig.build.json",
      "--noEmit",
    ],
  },
  {
    name: "types of the dashboard, in a browser",
    arguments: ["node_modules/typescript/bin/tsc", "--project", "dashboard/tsconfig.json"],
  },
  { name: "lint", arguments: ["node_modules/oxlint/bin/oxlint"] },
];

/** What the check complains of in the tree at `root`, or undefined when it is content. */
export async function runStaticCheck(check: StaticCheck, root = ROOT): Promise<string | undefined> {
  const child = spawn(process.execPath, check.arguments, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return code === 0 ? undefined : `${output}${errors}`.trim() || `exit code ${code}`;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
