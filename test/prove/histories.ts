/** The random histories of the contract at full count, for `npm run prove`. */
import { HISTORIES, runHistories } from "../contract/histories/run-histories.ts";
import { STORES } from "../support/stores.ts";

/** One line for each store; throws with a seed when a history reads differently from the model's. */
export async function proveHistories(seed: number, say: (line: string) => void): Promise<string[]> {
  const lines: string[] = [];
  for (const kind of STORES) {
    if (kind.skip !== false) throw new Error(`${kind.name} cannot be tested: ${kind.skip}`);
    const histories = HISTORIES.full[kind.name] ?? 0;
    lines.push(`${kind.name}: ${await runHistories(kind, { histories, seed })}`);
    say(lines.at(-1) ?? "");
  }
  return lines;
}
