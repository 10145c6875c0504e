/** The keys of `postrider dev` at a terminal. */
import { spawnSync } from "node:child_process";
import type { Client } from "../../../sdk/src/client/client.ts";
import colors from "picocolors";
import { showText } from "../commands/show.ts";
import { openPage } from "../commands/open.ts";
import { clientOf } from "../invocation.ts";
import type { AttemptTail } from "./tail.ts";

/** Where the keys act. */
export interface KeyPlace {
  readonly url: string;
  readonly token: string;
  /** Gets the sample message. */
  readonly sample: string;
}

/** What each key does; it returns what is printed. */
type Action = (tail: AttemptTail, place: KeyPlace, client: Client) => Promise<string>;

const KEYS: Readonly<Record<string, { readonly says: string; readonly act: Action }>> = {
  o: {
    says: "open the page of the last message",
    act: async ({ last }, { url }) => {
      const page = last === undefined ? url : `${url}/messages/${last.message.messageId}`;
      openPage(page);
      return page;
    },
  },
  r: {
    says: "retry the last failure",
    act: async ({ lastFailure }, _place, client) => {
      if (lastFailure === undefined) return "nothing has failed yet";
      const { messageId } = lastFailure.message;
      const { dlqId } = await client.messages.get(messageId);
      if (dlqId !== undefined) await client.dlq.retry(dlqId);
      else if ((await client.messages.retry([messageId])).retried === 0) return "it does not wait";
      return `${messageId} is sent again`;
    },
  },
  s: {
    says: "send the sample message",
    act: async (_tail, { sample }, client) => {
      const { messageId } = await client.publishJSON({ url: sample, body: { hello: "world" } });
      return `${messageId} is sent to ${sample}`;
    },
  },
  d: {
    says: "details of the last message",
    act: async ({ last }, { url }, client) =>
      last === undefined ? "nothing was sent yet" : showText(client, url, last.message.messageId),
  },
};

/** Only where a person can press them. */
export function listenToKeys(tail: AttemptTail, place: KeyPlace): void {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || isInBackground()) return;
  const client = clientOf(place);
  stdin.setRawMode(true).setEncoding("utf8");
  stdin.on("data", (text) => {
    for (const key of String(text)) void press(key, tail, place, client);
  });
  const keys = Object.entries(KEYS).map(([key, { says }]) => `${key} ${says.split(" ")[0]}`);
  stdout.write(`  Waiting for messages.   ${[...keys, "q quit", "? keys"].join(" · ")}\n\n`);
}

/** The system stops a process in the background (`postrider dev &`) that changes or reads its terminal. */
function isInBackground(): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(process.pid)], {
    encoding: "utf8",
  });
  // Where there is no `ps`, a person may have started it, in the foreground.
  return Boolean(stdout) && !stdout.includes("+");
}

async function press(
  key: string,
  tail: AttemptTail,
  place: KeyPlace,
  client: Client,
): Promise<void> {
  if (key === "q" || key === CONTROL_C) {
    process.kill(process.pid, "SIGINT");
    return;
  }
  const known = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
  if (known === undefined && key !== "?") return;
  const text =
    known === undefined
      ? keysText()
      : await known.act(tail, place, client).catch((error: unknown) => String(error));
  process.stdout.write(`${text.replaceAll(/^/gm, "  ")}\n`);
}

function keysText(): string {
  const keys = Object.entries(KEYS).map(([key, { says }]) => `${colors.bold(key)} ${says}`);
  return [...keys, `${colors.bold("q")} quit`].join("\n");
}

const CONTROL_C = "\u0003";
