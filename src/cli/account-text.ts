import { NO_LIMIT } from "../core/policy/limits/limits.ts";

/** The console's answer about an account, as far as the command prints it. */
export type ShownAccount = Readonly<Record<string, unknown>>;

/** An account, one line for each field; secrets only when the answer has them. */
export function accountLines(answer: unknown): string {
  const account = answer as ShownAccount;
  const lines = Object.entries(account)
    .filter(([, value]) => value !== "" && typeof value !== "object")
    .map(([name, value]) => `${name.padEnd(NAME_WIDTH)} ${plain(value)}`);
  return `${lines.join("\n")}\n`;
}

/** One limit as it now is. */
export function limitText(account: ShownAccount, name: string): string {
  return `${name} is now ${account[name] === NO_LIMIT ? "not limited" : plain(account[name])}.\n`;
}

export function showTable(accounts: readonly ShownAccount[]): string {
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

const NAME_WIDTH = 34;
