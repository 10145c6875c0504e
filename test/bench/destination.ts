import { besides, Child, type ChildOptions } from "./child.ts";

/** Where the messages of a round go. */
export interface Destination {
  readonly port: number;
  /** How many messages have arrived so far. */
  count(): Promise<number>;
  stop(): Promise<void>;
}

/** A sink in a process of its own, whose answers have a body of so many bytes. */
export async function startDestination(
  answerBytes = 0,
  options: ChildOptions = {},
): Promise<Destination> {
  const sink = new Child(besides("sink.ts"), [String(answerBytes)], {}, options);
  return {
    port: Number(await sink.line()),
    count: async () => Number(await sink.ask("count")),
    stop: () => sink.stop(),
  };
}

/** Which URLs messages go to in turn; one when both are absent. */
export interface Spread {
  /** So many URLs of one host. */
  readonly urls?: number;
  /** So many hosts, with one URL each. */
  readonly hosts?: number;
}

export function targetsOf({ urls, hosts }: Spread, port: number): string[] {
  if (hosts !== undefined) {
    return Array.from({ length: hosts }, (_, index) => `http://${addressOf(index)}:${port}/hook`);
  }
  if (urls === undefined) return [`http://127.0.0.1:${port}/hook`];
  return Array.from({ length: urls }, (_, index) => `http://127.0.0.1:${port}/hook/${index}`);
}

/** Addresses of this machine: 127.1.0.1, 127.1.0.2 and so on, up to 250 in each third number. */
function addressOf(index: number): string {
  return `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;
}
