/** `postrider init`: what an application needs for its first message. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { devCredentials } from "../../operations/account/public-credentials.ts";
import { CommandError } from "../command-error.ts";
import { isLoopback } from "../connection.ts";
import type { LocalHandlers } from "../flags.ts";
import { FRAMEWORKS, type Framework, SAMPLES } from "./init-samples.ts";

export const HANDLERS: LocalHandlers = {
  init: async (_words, flags) => {
    const framework = frameworkOf(flags.text("framework"));
    const { files, run } = SAMPLES[framework];
    say(`Found: ${framework === "none" ? "no framework, so plain Node" : framework}`);
    writeEnvironment();
    for (const [path, text] of Object.entries(files)) {
      writeNew(framework === "next" && existsSync("src/app") ? join("src", path) : path, text);
    }
    say(
      "",
      "Next:",
      "  npm install --install-links ../postrider/sdk  from your clone of Postrider; it is not on npm yet",
      "  npx postrider dev               in one terminal",
      `  ${run.padEnd(30)}  in another`,
      '  npx postrider publish http://localhost:3000/api/receive --body \'{"hello":"world"}\'',
      "  npx postrider trigger http://localhost:3000/api/workflow --body '{\"user\":42}' --follow",
    );
  },
};

function frameworkOf(given: string | undefined): Framework {
  if (given !== undefined) {
    const known = FRAMEWORKS.find((name) => name === given);
    if (known !== undefined) return known;
    throw new CommandError(`${given} is not known; there is: ${FRAMEWORKS.join(", ")}`);
  }
  if (!existsSync("package.json")) return "none";
  return frameworkIn(readFileSync("package.json", "utf8"));
}

/** Which framework a package.json names. */
export function frameworkIn(text: string): Framework {
  const { dependencies, devDependencies } = readManifest(text);
  const names = Object.keys({ ...devDependencies, ...dependencies });
  return FRAMEWORKS.find((name) => names.includes(name)) ?? "none";
}

type Manifest = Partial<Record<"dependencies" | "devDependencies", object>>;

function readManifest(text: string): Manifest {
  try {
    return (JSON.parse(text) as Manifest | null) ?? {};
  } catch (error) {
    const sentence = `package.json cannot be read as JSON: ${(error as Error).message}`;
    throw new CommandError(sentence, 1, "correct it, or name the framework with --framework");
  }
}

/** Adds what is missing; a line that is there stays as it is, whatever its value. */
function writeEnvironment(): void {
  const before = existsSync(ENVIRONMENT) ? readFileSync(ENVIRONMENT, "utf8") : "";
  const missing = missingLines(before);
  if (missing.length === 0) return say(`kept    ${ENVIRONMENT}  needs no line`);
  const start = before === "" || before.endsWith("\n") ? "" : "\n";
  const lines = missing.map(([name, value]) => `${name}=${value}\n`).join("");
  appendFileSync(ENVIRONMENT, `${start}${lines}`, { mode: 0o600 });
  say(`wrote   ${ENVIRONMENT}  ${missing.map(([name]) => name).join(", ")}`);
}

/**
 * The credentials of dev are public. Beside a token or key that is there, or for a server elsewhere, none
 * of them is added: a receiver accepts both of its keys, so every caller could sign for it.
 */
export function missingLines(before: string): (readonly [name: string, value: string])[] {
  const valueOf = (name: string): string | undefined =>
    new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=(.*)$`, "m").exec(before)?.[1];
  const { token, currentSigningKey, nextSigningKey } = devCredentials();
  const credentials = [
    ["POSTRIDER_TOKEN", token],
    ["POSTRIDER_CURRENT_SIGNING_KEY", currentSigningKey],
    ["POSTRIDER_NEXT_SIGNING_KEY", nextSigningKey],
  ] as const;
  const url = valueOf("POSTRIDER_URL");
  const isDev = url === undefined || isLoopback(url.replaceAll(/["'\s]/g, "").replace(/\/+$/, ""));
  const isEmpty = credentials.every(([name]) => valueOf(name) === undefined);
  return [
    ...(url === undefined ? [["POSTRIDER_URL", "http://127.0.0.1:8080"] as const] : []),
    ...(isDev && isEmpty ? credentials : []),
  ];
}

function writeNew(path: string, text: string): void {
  if (dirname(path) !== ".") mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, text, { flag: "wx" });
    say(`wrote   ${path}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    say(`kept    ${path}  is there already`);
  }
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

const ENVIRONMENT = ".env";
