/** `postrider doctor`: what would keep a server from working here, and what to do about it. */
import colors from "picocolors";
import type { Settings } from "../../config/settings.ts";
import { checkDestination, checkProxy } from "./check-network.ts";
import { checkFiles, checkMachine, checkPort } from "./check-machine.ts";
import { checkPostgres, checkSqlite } from "./check-store.ts";
import type { Finding } from "./finding.ts";
import type { Flags } from "../flags.ts";
import { jsonText, plain } from "../terminal/output.ts";

/** Changes nothing, and runs beside a server. Only a problem is a failure. */
export async function doctor(settings: Settings, flags: Flags): Promise<void> {
  let problems = 0;
  for await (const finding of findings(settings, flags)) {
    if (finding.state === "problem") problems += 1;
    const isJson = flags.is("json");
    process.stdout.write(isJson ? `${jsonText(finding)}\n` : findingText(finding));
  }
  if (problems > 0) process.exitCode = 1;
}

async function* findings(settings: Settings, flags: Flags): AsyncGenerator<Finding> {
  yield* checkMachine();
  if (settings.databaseUrl === undefined) {
    yield* checkFiles(settings);
    yield* checkSqlite(settings);
  } else {
    yield* checkPostgres(settings);
  }
  yield await checkPort(settings);
  if (settings.publicUrl !== undefined) yield* checkProxy(settings.publicUrl);
  const destination = flags.text("destination");
  if (destination !== undefined) yield* checkDestination(destination, settings);
}

function findingText({ check, state, says, advice }: Finding): string {
  const line = `${MARKS[state]} ${check.padEnd(CHECK_WIDTH)} ${plain(says)}\n`;
  return advice === undefined ? line : `${line}  ${" ".repeat(CHECK_WIDTH)} → ${plain(advice)}\n`;
}

const MARKS: Readonly<Record<Finding["state"], string>> = {
  ok: colors.green("✓"),
  warning: colors.yellow("!"),
  problem: colors.red("✗"),
};
const CHECK_WIDTH = 12;
