import type { OwnAccount } from "../../../sdk/src/answers/account.ts";
import type { BulkCount } from "../../../sdk/src/answers/dead-letter.ts";
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import type { Client } from "../../../sdk/src/client/client.ts";
import { type Handlers, serverNow } from "../invocation.ts";
import { factLines, plain } from "../terminal/output.ts";
import { waitingText } from "./waiting-words.ts";

export const HANDLERS: Handlers = {
  status: async ({ client, connection, output }) => {
    const [account, waiting] = await Promise.all([client.account.get(), client.messages.waiting()]);
    const dead = await deadLettersFor(account, client);
    const { count: deadLetters } = dead;
    output.one({ server: connection.url, account, waiting, deadLetters }, () =>
      [
        factLines({
          server: connection.url,
          account: `${account.customer_id || account.id} (${account.id})`,
          token: account.access,
          plan: account.reserved_type || account.type,
          state: account.active ? (account.paused ? "paused" : "active") : "suspended",
          "dead letters": `${deadLetters}${dead.isAbout ? " or more" : ""}`,
        }),
        ...usageLines(account),
        ...waitingLines(waiting),
      ].join("\n"),
    );
  },
};

/** A reader may not ask how many would be deleted. It is told of those whose failures are grouped. */
async function deadLettersFor(
  { access }: OwnAccount,
  client: Client,
): Promise<Pick<BulkCount, "count" | "isAbout">> {
  if (access !== "read-only") return client.dlq.count({ all: true });
  const groups = await client.dlq.groups();
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return { count, isAbout: count > 0 };
}

function usageLines({ usage }: OwnAccount): string[] {
  const used = usage.filter((row) => row.used > 0 && row.max !== null);
  if (used.length === 0) return [];
  const lines = used.map(({ limit, used: count, max }) => `  ${limit} ${count} of ${max}`);
  return ["limits in use", ...lines];
}

function waitingLines({ reasons, isPartial }: WaitingReasons): string[] {
  if (reasons.length === 0) return ["nothing waits"];
  const now = serverNow();
  const lines = reasons.map(
    (row) => `  ${row.count}${row.isAbout ? " or more" : ""}: ${plain(waitingText(row, now))}`,
  );
  return [isPartial ? "waiting (a part of it)" : "waiting", ...lines];
}
