/** What is checked without running the product: format, types and lint. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface StaticCheck {
  readonly name: string;
  readonly arguments: readonly string[];
}

/** Four checkers, its default, read the same types four times: a quarter more processor time. */
const COMPILER = ["node_modules/typescript/bin/tsc", "--checkers", "1", "--incremental"];
/** What the compiler knows of the files that it has read: the next time it checks what differs and what depends on that. */
const COMPILER_MEMORY = ".cache/types";
/** Compiler and linter are Go programs that end soon: collecting their garbage less often saves a fifth of their time. */
const PATIENT_COLLECTOR = { GOGC: "400" };
/** The linter looks for the part that knows types in the root's packages only. */
const TYPED_LINTER = { OXLINT_TSGOLINT_PATH: "test/node_modules/.bin/tsgolint" };

export const STATIC_CHECKS: readonly StaticCheck[] = [
  { name: "format", arguments: ["test/node_modules/oxfmt/bin/oxfmt", "--check"] },
  { name: "types", arguments: [...COMPILER, ...remembering("all")] },
  {
    name: "types of the SDK, without Node's",
    arguments: [
      ...COMPILER,
      ...remembering("sdk"),
      "--project",
      "sdk/tsconfig.build.json",
      "--noEmit",
    ],
  },
  {
    name: "types of the dashboard, in a browser",
    arguments: [...COMPILER, ...remembering("dashboard"), "--project", "dashboard/tsconfig.json"],
  },
  { name: "lint", arguments: ["test/node_modules/oxlint/bin/oxlint"] },
];

/** What the check complains of in the tree at `root`, or undefined when it is content. */
export async function runStaticCheck(check: StaticCheck, root = ROOT): Promise<string | undefined> {
  const child = spawn(process.execPath, check.arguments, {
    cwd: root,
    env: { ...PATIENT_COLLECTOR, ...TYPED_LINTER, ...process.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return code === 0 ? undefined : `${output}${errors}`.trim() || `exit code ${code}`;
}

function remembering(name: string): string[] {
  return ["--tsBuildInfoFile", `${COMPILER_MEMORY}/${name}.tsbuildinfo`];
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
