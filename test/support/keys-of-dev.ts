/** Every key of `postrider dev`, pressed in a terminal. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { until } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { Screen } from "./screen.ts";
import type { Scope } from "./scope.ts";

/** How a user starts `postrider`. */
export interface Started {
  readonly program: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export async function keysWork(t: Scope, folder: string, started: Started): Promise<void> {
  const { program } = started;
  const environment = withBrowser(folder, started.environment);
  const port = String(await freePort());
  const screen = new Screen(t, [...program, "dev", "--port", port], folder, environment);
  await screen.shows(/Waiting for messages\. .* s send .* q quit/);
  screen.press("?");
  await screen.shows(/o open the page[\s\S]*r retry the last[\s\S]*d details of[\s\S]*q quit/);
  screen.press("d");
  await screen.shows(/nothing was sent yet/);
  screen.press("r");
  await screen.shows(/nothing has failed yet/);
  screen.press("s");
  await screen.shows(/msg_\w{26} +POST \/echo\/hello +200 +\d+ ms {2}delivered/);
  assert.match(screen.raw, /\]8;;http:\/\/127\.0\.0\.1:\d+\/messages\/msg_\w{26}/);
  screen.press("d");
  await screen.shows(/state +DELIVERED[\s\S]*attempt 1 /);
  const closed = `http://localhost:${await freePort()}/api`;
  const [file, ...words] = [...program, "publish", closed, "--retries", "1", "--delay", "0s"];
  await promisify(execFile)(file, words, { cwd: folder, env: environment });
  await screen.shows(
    /retry 1 of 1 in .* \(connection refused: is your app running on port \d+\?\)/,
  );
  screen.press("r");
  await screen.shows(/is sent again[\s\S]*dead-lettered/);
  screen.press("o");
  await until(
    () => /\/messages\/msg_\w{26}$/.test(openedIn(folder)),
    "a browser has opened the message",
  );
  screen.press("q");
  assert.equal(await screen.ended, 0);
}

/** With a browser that writes down what it was given. */
function withBrowser(folder: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  const browser = join(programs, "xdg-open");
  writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > ${folder}/opened\n`);
  chmodSync(browser, 0o755);
  return { ...environment, PATH: `${programs}${delimiter}${environment["PATH"]}` };
}

function openedIn(folder: string): string {
  const file = join(folder, "opened");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
