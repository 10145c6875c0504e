/** The commands of each page, in their order, against a server of that page's own. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "../house/sources.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { PROGRAM } from "../support/program.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";
import { type Block, PAGES, readBlocks } from "./blocks.ts";

const blocks = readBlocks(...PAGES).filter(
  ({ language, notRun }) => language === "sh" && notRun === undefined,
);
const byPage = Map.groupBy(blocks, ({ page }) => page);
let destination: DestinationServer;

before(async () => {
  destination = await DestinationServer.start();
});

after(async () => {
  await destination.close();
});

test("there are commands to run", () => {
  assert.ok(blocks.length > 15, `${blocks.length} blocks`);
});

for (const [page, commands] of byPage) {
  const usesPostgres = commands.some(({ code }) => code.includes("postgres://"));
  const skip = usesPostgres && postgresMissing();
  test(`the commands of ${page} work`, { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "postrider-commands-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const service = await TestService.startFor(t, { folder: join(folder, "data") });
    const database = usesPostgres ? await freshDatabase() : null;
    t.after(() => database?.drop());
    const places = { folder, databaseUrl: database?.url ?? "" };
    const { code, output } = await runScript(commands, places, environmentOf(service));
    assert.equal(code, 0, output);
    assertPrivate(join(folder, "backup"));
  });
}

/** Other users of the machine must not read a backup. */
function assertPrivate(backup: string): void {
  if (!existsSync(backup)) return;
  for (const path of [backup, ...readdirSync(backup).map((name) => join(backup, name))]) {
    assert.equal(statSync(path).mode & 0o077, 0, path);
  }
}

/** What `dev` prints for an application. */
function environmentOf({ url, credentials }: TestService): Record<string, string> {
  return {
    POSTRIDER_URL: url,
    POSTRIDER_TOKEN: credentials.token,
    POSTRIDER_CURRENT_SIGNING_KEY: credentials.currentSigningKey,
    POSTRIDER_NEXT_SIGNING_KEY: credentials.nextSigningKey,
  };
}

/** One shell for a page, so that variables of an earlier block are known to a later one. */
function runScript(
  commands: readonly Block[],
  places: Places,
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const script = [
    PRELUDE,
    ...commands.map(({ page, line, code }) => `at=${page}:${line}\n${put(code, places)}`),
  ].join("\n");
  const { folder } = places;
  const shell = spawn("bash", ["-c", script], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: folder,
      NO_COLOR: "1",
      NODE: process.execPath,
      PROGRAM,
      TEST_PROGRAM: PROGRAM,
      SERVE_ONCE: join(ROOT, "test/docs/serve-once.ts"),
      POSTRIDER_DATA: join(folder, "data"),
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  shell.stdout.on("data", (chunk) => (output += String(chunk)));
  shell.stderr.on("data", (chunk) => (output += String(chunk)));
  return new Promise((resolve) => shell.on("close", (code) => resolve({ code, output })));
}

/** What stands for the reader's own hosts, folders and databases. */
function put(code: string, { folder, databaseUrl }: Places): string {
  return code
    .replaceAll("https://example.com", destination.url)
    .replaceAll("/var/lib/postrider", join(folder, "served"))
    .replaceAll("/backup", join(folder, "backup"))
    .replaceAll(/postgres:\/\/\S+\/postrider\b/g, databaseUrl);
}

interface Places {
  readonly folder: string;
  /** An empty database, where the page names one. */
  readonly databaseUrl: string;
}

/** A refusal fails the block; `postrider` is the one of this checkout. */
const PRELUDE = `
set -euo pipefail
trap 'echo "failed at $at" >&2' ERR
curl() { command curl --silent --show-error --fail-with-body --max-time 30 "$@"; echo; }
node() { "$NODE" "$@"; }
postrider() {
  case "$1" in
    serve|dev) env -u POSTRIDER_DATA -u POSTRIDER_TOKEN -u POSTRIDER_CURRENT_SIGNING_KEY -u POSTRIDER_NEXT_SIGNING_KEY "$NODE" "$SERVE_ONCE" "$@" ;;
    *) "$NODE" "$PROGRAM" "$@" ;;
  esac
}
npm() {
  case "$1 \${2:-}" in
    "run serve") shift 2; if [ "\${1:-}" = -- ]; then shift; fi; postrider serve "$@" ;;
    "run postrider") shift 2; if [ "\${1:-}" = -- ]; then shift; fi; postrider "$@" ;;
    "start "*) shift; if [ "\${1:-}" = -- ]; then shift; fi; postrider dev "$@" ;;
    *) echo "npm $* is not run here; mark the block" >&2; return 1 ;;
  esac
}
`;
