import { spawn } from "node:child_process";
import type { Handlers } from "../invocation.ts";
import { findId } from "./found-ids.ts";

export const HANDLERS: Handlers = {
  open: async ({ client, connection, output, flags, words }) => {
    const [id] = words;
    const url = `${connection.url}${id === undefined ? "/" : await pathOf(client, id)}`;
    output.one({ url }, () => url, url);
    if (!flags.is("print")) openPage(url);
  },
};

async function pathOf(client: Parameters<typeof findId>[0], text: string): Promise<string> {
  const { kind, id } = await findId(client, text);
  if (kind === "run") return `/runs/${encodeURIComponent(id)}`;
  // The page of a message shows its dead letter.
  const messageId = kind === "message" ? id : (await client.dlq.get(id)).messageId;
  return `/messages/${encodeURIComponent(messageId)}`;
}

/** Where there is no browser, the printed address is all there is. */
export function openPage(url: string): void {
  const [program, ...before] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program!, [...before, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};
