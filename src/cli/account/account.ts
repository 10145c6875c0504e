import { LIMITS } from "../../core/policy/limits/limit-table.ts";
import { LIMIT_FIELDS, NO_LIMIT } from "../../core/policy/limits/limits.ts";
import { SettingError } from "../../config/read-settings.ts";
import type { Settings } from "../../config/settings.ts";
import { CommandError } from "../command-error.ts";
import { type ConsoleRequest, withConsole } from "./console-client.ts";
import { deleteAccount } from "./delete-account.ts";
import { jsonText, plain, tableText } from "../terminal/output.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { durationText } from "../terminal/time-text.ts";

/** What a command asks of the console, and how its answer is printed. */
interface ConsoleCommand {
  /** Arguments and flags, as commander reads them. */
  readonly request?: (
    words: readonly string[],
    flags: Readonly<Record<string, string>>,
  ) => ConsoleRequest;
  readonly tell?: (answer: unknown, words: readonly string[]) => string;
  /** For a command that asks more than once. */
  readonly run?: typeof deleteAccount;
}

/** The console's answer about an account, as far as the command prints it. */
type ShownAccount = Readonly<Record<string, unknown>>;

/** The commands of the operator, by the names in the table. */
export const CONSOLE_COMMANDS: Readonly<Record<string, ConsoleCommand>> = {
  "account create": {
    request: ([customer], { plan }) => ({
      method: "POST",
      path: "/v2/svc/user",
      send: { customer_id: customer, plan_name: plan },
    }),
  },
  "account list": {
    request: (_words, { after = "" }) => ({
      method: "GET",
      path: `/v2/svc/users${afterText(after)}`,
    }),
    tell: (answer) => accountTable(answer as readonly ShownAccount[]),
  },
  "account show": {
    request: ([id]) => ({ method: "GET", path: `/v2/svc/user/${segment(id)}` }),
  },
  "account rotate": {
    request: ([id], { grace }) => ({
      method: "POST",
      path: `/v2/svc/rotate-token/${segment(id)}${grace === undefined ? "" : `?grace=${encodeURIComponent(grace)}`}`,
    }),
  },
  "account plan": {
    request: ([id, plan]) => ({
      method: "POST",
      path: `/v2/svc/set-plan/${segment(id)}`,
      send: { plan_name: plan },
    }),
    tell: () => "The plan is changed.\n",
  },
  "account limit": {
    request: ([id, limit, value]) => ({
      method: "PATCH",
      path: `/v2/svc/update-limits/${segment(id)}`,
      send: { [limitName(limit)]: limitValue(value ?? "") },
    }),
    tell: (answer, [, limit]) => limitText(answer as ShownAccount, limitName(limit)),
  },
  "account dialect": {
    request: ([id, dialect]) => ({
      method: "POST",
      path: `/v2/svc/set-dialect/${segment(id)}`,
      send: { dialect: dialect === "server" ? null : dialect },
    }),
    tell: () => "The dialect is changed.\n",
  },
  "account suspend": {
    request: ([id]) => ({ method: "POST", path: `/v2/svc/suspend/${segment(id)}` }),
    tell: () => "The account is suspended.\n",
  },
  "account activate": {
    request: ([id]) => ({ method: "POST", path: `/v2/svc/activate/${segment(id)}` }),
    tell: () => "The account is active.\n",
  },
  "account delete": { run: deleteAccount },
  "secret rotate": { run: rotateSecret },
  pause: { request: deliverySwitch("pause"), tell: pauseText },
  resume: { request: deliverySwitch("resume"), tell: () => "Deliveries are resumed.\n" },
  nodes: {
    request: () => ({ method: "GET", path: "/v2/svc/nodes" }),
    tell: nodeTable,
  },
};

/** Runs a command of the operator. */
export async function manage(
  name: string,
  settings: Settings,
  words: readonly string[],
  flags: Readonly<Record<string, string>>,
): Promise<void> {
  const { request, tell = accountLines, run } = CONSOLE_COMMANDS[name]!;
  await withConsole(settings, async (ask) => {
    if (request === undefined) return run?.(ask, words, flags);
    const answer = await ask(request(words, flags));
    const isJson = (flags["json"] as unknown) === true;
    process.stdout.write(isJson ? `${jsonText(answer, 2)}\n` : tell(answer, words));
  });
}

/** For the whole service, or for one account. */
function deliverySwitch(verb: "pause" | "resume"): NonNullable<ConsoleCommand["request"]> {
  return (_words, { account: id }) => ({
    method: "POST",
    path: `/v2/svc/${verb}${id === undefined ? "" : `/${segment(id)}`}`,
  });
}

/**
 * For one account the answer is its record; for the service, the nodes that have and have not
 * stopped.
 */
function pauseText(answer: unknown): string {
  const { nodes, pending = [] } = answer as { nodes?: string[]; pending?: string[] };
  if (pending.length > 0) {
    return `Deliveries are paused, but these nodes have not confirmed it and may still start some: ${pending.join(", ")}.\n`;
  }
  if (nodes === undefined) return "Deliveries wait.\n";
  const count = nodes.length;
  return `Deliveries are paused; ${count} ${count === 1 ? "node has" : "nodes have"} stopped starting them.\n`;
}

/** An account, one line for each field; secrets only when the answer has them. */
function accountLines(answer: unknown): string {
  const account = answer as ShownAccount;
  const lines = Object.entries(account)
    .filter(([, value]) => value !== "" && typeof value !== "object")
    .map(([name, value]) => `${name.padEnd(NAME_WIDTH)} ${plain(value)}`);
  return `${lines.join("\n")}\n`;
}

/** One limit as it now is. */
function limitText(account: ShownAccount, name: string): string {
  return `${name} is now ${account[name] === NO_LIMIT ? "not limited" : plain(account[name])}.\n`;
}

function accountTable(accounts: readonly ShownAccount[]): string {
  return tableText([
    ["ID", "CUSTOMER", "PLAN", "STATE"],
    ...accounts.map((account) => [
      plain(account["id"]),
      plain(account["customer_id"]),
      plain(account["reserved_type"]) || plain(account["type"]),
      stateOf(account),
    ]),
  ]);
}

function stateOf(account: ShownAccount): string {
  if (account["modifying_state"] === "deleting") return "deleting";
  return account["paused"] === true ? "paused" : plain(account["state"]);
}

function nodeTable(answer: unknown): string {
  const { nodes } = answer as { nodes: readonly ShownAccount[] };
  return tableText([
    ["ID", "NAME", "VERSION", "SLOTS", "SILENT", "STATE"],
    ...nodes.map((node) => [
      plain(node["nodeId"]),
      plain(node["name"]),
      plain(node["version"]),
      `${plain(node["slotsUsed"])}/${plain(node["slotsMax"])}`,
      durationText(Number(node["silentMs"])),
      node["live"] === true ? (node["paused"] === true ? "paused" : "live") : "silent",
    ]),
  ]);
}

function limitName(name: string | undefined): string {
  const names = LIMIT_FIELDS.map((field) => LIMITS[field].name);
  if (name !== undefined && names.includes(name)) return name;
  throw new SettingError(`${name} is not a limit; they are ${names.join(", ")}`);
}

function limitValue(text: string): number | null {
  if (text === "plan") return null;
  if (text === "none") return NO_LIMIT;
  if (!/^\d{1,15}$/.test(text)) {
    throw new SettingError(`${text} is not a whole number, nor "plan" or "none"`);
  }
  return Number(text);
}

const afterText = (after: string): string =>
  after === "" ? "" : `?after=${encodeURIComponent(after)}`;
/** An id needs no escape, as the name of a customer mostly does. */
function segment(id = ""): string {
  if (encodeURIComponent(id) === id) return id;
  throw new CommandError(
    `${id} is not the id of an account`,
    5,
    "postrider account list shows the ids",
  );
}

const NAME_WIDTH = 34;
