import type { OwnAccount } from "../../../sdk/src/answers/account.ts";
import type { WaitingReasons } from "../../../sdk/src/answers/message.ts";
import { type Handlers, serverNow } from "../invocation.ts";
import { factLines, plain } from "../terminal/output.ts";
import { waitingText } from "./waiting-words.ts";

export const HANDLERS: Handlers = {
  status: async ({ client, connection, output }) => {
    const [account, waiting, dead] = await Promise.all([
      client.account.get(),
      client.messages.waiting(),
      client.dlq.count({ all: true }),
    ]);
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
