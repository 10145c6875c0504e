import { resolve } from "node:path";
import { type Control, readControlFile } from "../../config/control-file.ts";
import { SettingError } from "../../config/read-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { CONTROL_USER } from "../../operations/account/logins.ts";
import { requireDatabase } from "../own-data.ts";
import { reachable } from "../reachable.ts";

/** One call to the console. */
export interface ConsoleRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly send?: unknown;
}

export type Ask = (request: ConsoleRequest) => Promise<unknown>;

/**
 * Runs a command against the console of the service that holds the data or, when none runs, against
 * one that is opened over the store for the duration of the command.
 */
export async function withConsole(
  settings: Settings,
  run: (ask: Ask) => Promise<void>,
): Promise<void> {
  if (settings.databaseUrl === undefined) {
    const control = readControlFile(resolve(settings.data));
    if (control !== null && (await answers(control)))
      return run((request) => ask(control, request));
  }
  // A console that is already running answers without the service being loaded here.
  const [service, { createLogger }] = await Promise.all([
    import("../../service.ts"),
    import("../../platform/logger.ts"),
  ]);
  if (settings.databaseUrl === undefined) requireDatabase(service.databasePath(settings));
  const console = await service.openConsole(settings, createLogger("quiet"));
  try {
    await run((request) => ask(console, request));
  } finally {
    await console.close();
  }
}

/** A killed service leaves its address behind, which another program may have taken since. */
async function answers(control: Control): Promise<boolean> {
  try {
    const { status } = await send(control, { method: "GET", path: "/v2/svc/users?count=1" });
    return status === 200;
  } catch {
    return false;
  }
}

async function ask(control: Control, request: ConsoleRequest): Promise<unknown> {
  const { status, text } = await send(control, request);
  const answer: unknown = JSON.parse(text);
  if (status < 300) return answer;
  const { error = `the service answered ${status}` } = answer as { error?: string };
  throw new ConsoleError(error, status);
}

/** A refusal of the console. */
export class ConsoleError extends SettingError {
  readonly status: number;

  constructor(sentence: string, status: number) {
    super(sentence);
    this.status = status;
  }
}

async function send(
  { url, secret }: Control,
  { method, path, send: body }: ConsoleRequest,
): Promise<{ status: number; text: string }> {
  const credentials = Buffer.from(`${CONTROL_USER}:${secret}`).toString("base64");
  const response = await fetch(reachable(url) + path, {
    method,
    headers: { Authorization: `Basic ${credentials}`, "Content-Type": "application/json" },
    redirect: "error",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}
