import type { FlowControlKey } from "../../../sdk/src/answers/line.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, word } from "../invocation.ts";
import { type Columns, factLines } from "../terminal/output.ts";
import { limitOf } from "./filter-options.ts";

export const HANDLERS: Handlers = {
  "flow list": async ({ client, output, flags }) => {
    const search = flags.text("search");
    const keys = await client.flowControl.list(search === undefined ? {} : { search });
    await output.list(keys, KEYS, limitOf(flags));
  },
  "flow show": async ({ client, output, ...invocation }) => {
    const key = await client.flowControl.get(word(invocation, 0));
    const text = (): string =>
      factLines({
        key: key.flowControlKey,
        state: key.isPaused ? "paused" : "active",
        waiting: key.waitListSize,
        parallelism: parallelismText(key),
        rate: rateText(key),
      });
    output.one(key, text, key.flowControlKey);
  },
  "flow pause": async ({ client, output, ...invocation }) => {
    await client.flowControl.pause(word(invocation, 0));
    output.done("The key is paused.");
  },
  "flow resume": async ({ client, output, ...invocation }) => {
    await client.flowControl.resume(word(invocation, 0));
    output.done("The key is resumed.");
  },
  "flow pin": async ({ client, output, flags, ...invocation }) => {
    const [parallelism, rate] = [flags.number("parallelism"), flags.number("rate")];
    const period = flags.text("period");
    if (parallelism === undefined && rate === undefined) {
      throw new CommandError("give --parallelism or --rate");
    }
    await client.flowControl.pin(word(invocation, 0), {
      ...(parallelism === undefined ? {} : { parallelism }),
      ...(rate === undefined ? {} : { rate }),
      ...(period === undefined ? {} : { period }),
    });
    output.done("The limits are pinned.");
  },
  "flow unpin": async ({ client, output, ...invocation }) => {
    await client.flowControl.unpin(word(invocation, 0), { parallelism: true, rate: true });
    output.done("Messages set the limits again.");
  },
  "flow reset": async ({ client, output, ...invocation }) => {
    await client.flowControl.resetRate(word(invocation, 0));
    output.done("A new period of the rate has begun.");
  },
};

function parallelismText(key: FlowControlKey): string {
  const max = key.parallelismMax === 0 ? "no limit" : String(key.parallelismMax);
  return `${key.parallelismCount} of ${max}${key.isPinnedParallelism ? ", pinned" : ""}`;
}

function rateText(key: FlowControlKey): string {
  if (key.rateMax === 0) return "no limit";
  const pinned = key.isPinnedRate ? ", pinned" : "";
  return `${key.rateCount} of ${key.rateMax} in ${key.ratePeriod} s${pinned}`;
}

const KEYS: Columns<FlowControlKey> = {
  KEY: ({ flowControlKey }) => flowControlKey,
  STATE: ({ isPaused }) => (isPaused ? "paused" : "active"),
  WAITING: ({ waitListSize }) => waitListSize,
  PARALLELISM: parallelismText,
  RATE: rateText,
};
