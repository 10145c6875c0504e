import { type Command, Option } from "commander";
import { PLANS } from "../core/model/account/account.ts";
import { DIALECT_CHOICES } from "../core/model/message/message.ts";
import { LIMITS } from "../core/policy/limits/limit-table.ts";
import { LIMIT_FIELDS, NO_LIMIT } from "../core/policy/limits/limits.ts";
import { SettingError } from "../config/read-settings.ts";
import type { Settings } from "../config/settings.ts";
import { type ConsoleRequest, withConsole } from "./console-client.ts";

/** A command that makes one console request, and how its answer is printed. */
interface AccountCommand {
  readonly name: string;
  readonly says: string;
  readonly options?: readonly Option[];
  /** Arguments and flags, as commander reads them. */
  readonly request: (
    words: readonly string[],
    flags: Readonly<Record<string, string>>,
  ) => ConsoleRequest;
  readonly tell?: (answer: unknown, words: readonly string[]) => string;
}

/** The console's answer about an account, as far as the command prints it. */
type ShownAccount = Readonly<Record<string, unknown>>;

/** How the settings of a command are read from its flags. */
export type ReadSettings = (flags: Readonly<Record<string, unknown>>) => Settings;
export type AddSettings = (command: Command) => void;

const COMMANDS: readonly AccountCommand[] = [
  {
    name: "create <customer>",
    says: "Create an account for an e-mail address or a team; its secrets are shown once",
    options: [new Option("--plan <plan>", "plan of the account").choices(PLANS).default("free")],
    request: ([customer], { plan }) => ({
      method: "POST",
      path: "/v2/svc/user",
      send: { customer_id: customer, plan_name: plan },
    }),
  },
  {
    name: "list",
    says: "List accounts by id, 1,000 at a time",
    options: [new Option("--after <id>", "start after this account")],
    request: (_words, { after = "" }) => ({
      method: "GET",
      path: `/v2/svc/users${afterText(after)}`,
    }),
    tell: (answer) => showTable(answer as readonly ShownAccount[]),
  },
  {
    name: "show <id>",
    says: "Show an account and its limits",
    request: ([id]) => ({ method: "GET", path: `/v2/svc/user/${segment(id)}` }),
  },
  {
    name: "rotate <id>",
    says: "Generate new tokens and a new password, shown once; the old ones are refused at once",
    options: [new Option("--grace <duration>", "accept the old tokens for this much longer: 10m")],
    request: ([id], { grace }) => ({
      method: "POST",
      path: `/v2/svc/rotate-token/${segment(id)}${grace === undefined ? "" : `?grace=${encodeURIComponent(grace)}`}`,
    }),
  },
  {
    name: "plan <id> <plan>",
    says: `Put an account on a plan: ${PLANS.join(", ")}`,
    request: ([id, plan]) => ({
      method: "POST",
      path: `/v2/svc/set-plan/${segment(id)}`,
      send: { plan_name: plan },
    }),
    tell: () => "The plan is changed.\n",
  },
  {
    name: "limit <id> <limit> <value>",
    says: `Override a limit of an account, such as max_topics; "plan" returns to the limit of the plan, "none" is no limit`,
    request: ([id, limit, value]) => ({
      method: "PATCH",
      path: `/v2/svc/update-limits/${segment(id)}`,
      send: { [limitName(limit)]: limitValue(value ?? "") },
    }),
    tell: (answer, [, limit]) => limitText(answer as ShownAccount, limitName(limit)),
  },
  {
    name: "dialect <id> <dialect>",
    says: `Choose the headers of messages that were published without a Svc- or Upstash- header: ${DIALECT_CHOICES.join(", ")}, or "server" for the setting of the server`,
    request: ([id, dialect]) => ({
      method: "POST",
      path: `/v2/svc/set-dialect/${segment(id)}`,
      send: { dialect: dialect === "server" ? null : dialect },
    }),
    tell: () => "The dialect is changed.\n",
  },
  switchCommand(
    "suspend",
    "Suspend an account: its tokens are refused and its deliveries wait",
    "The account is suspended.\n",
  ),
  switchCommand(
    "activate",
    "End a suspension; waiting messages are sent",
    "The account is active.\n",
  ),
];

/** `postrider account ...`: each of its commands. */
export function addAccountCommands(
  program: Command,
  addSettings: AddSettings,
  read: ReadSettings,
): void {
  const account = program.command("account").description("Manage accounts");
  for (const row of COMMANDS) {
    const command = account.command(row.name).description(row.says).allowExcessArguments(false);
    for (const option of row.options ?? []) command.addOption(option);
    addTo(command, addSettings, read, row);
  }
  for (const [name, says] of SERVICE_SWITCHES) {
    const command = program.command(name).description(says).allowExcessArguments(false);
    command.option("--account <id>", "only the deliveries of this account");
    addTo(command, addSettings, read, {
      request: (_words, { account: id }) => ({
        method: "POST",
        path: `/v2/svc/${name}${id === undefined ? "" : `/${segment(id)}`}`,
      }),
      tell: (answer) => (name === "pause" ? pauseText(answer) : "Deliveries are resumed.\n"),
    });
  }
}

function addTo(
  command: Command,
  addSettings: AddSettings,
  read: ReadSettings,
  { request, tell = accountLines }: Pick<AccountCommand, "request" | "tell">,
): void {
  command.option("--json", "print the answer as JSON");
  addSettings(command);
  command.action(async () => {
    const flags = command.opts<Record<string, string>>();
    await withConsole(read(flags), async (ask) => {
      const answer = await ask(request(command.args, flags));
      const isJson = (flags["json"] as unknown) === true;
      process.stdout.write(
        isJson ? `${JSON.stringify(answer, null, 2)}\n` : tell(answer, command.args),
      );
    });
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

function switchCommand(name: string, says: string, done: string): AccountCommand {
  return {
    name: `${name} <id>`,
    says,
    tell: () => done,
    request: ([id]) => ({ method: "POST", path: `/v2/svc/${name}/${segment(id)}` }),
  };
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

function showTable(accounts: readonly ShownAccount[]): string {
  const rows = [
    ["ID", "CUSTOMER", "PLAN", "STATE"],
    ...accounts.map((account) => [
      plain(account["id"]),
      plain(account["customer_id"]),
      plain(account["reserved_type"]) || plain(account["type"]),
      account["paused"] === true ? "paused" : plain(account["state"]),
    ]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Without control characters, which a terminal would obey. */
function plain(value: unknown): string {
  return String(value).replace(/[^\x20-\x7e\u00a0-\uffff]/g, "?");
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
const segment = (id: string | undefined): string => encodeURIComponent(id ?? "");

const SERVICE_SWITCHES = [
  ["pause", "Pause all deliveries, on every node; publishing continues"],
  ["resume", "Resume deliveries"],
] as const;

const NAME_WIDTH = 34;
