import type { ClockLeap, DevClock } from "../../../sdk/src/answers/dev.ts";
import type { Client } from "../../../sdk/src/client/client.ts";
import { ApiError } from "../../../sdk/src/errors.ts";
import { CommandError } from "../command-error.ts";
import { type Handlers, word } from "../invocation.ts";
import type { Output } from "../terminal/output.ts";
import { durationText, timeText } from "../terminal/time-text.ts";

export const HANDLERS: Handlers = {
  "clock show": async ({ client, output }) => {
    const clock = await ofDev(client, client.dev.clock());
    output.one(clock, () => clockText(clock));
  },
  "clock advance": async ({ client, output, ...invocation }) => {
    showLeap(output, await ofDev(client, client.dev.advance(word(invocation, 0))));
  },
  "clock until": async ({ client, output, ...invocation }) => {
    showLeap(output, await ofDev(client, client.dev.advanceToSchedule(word(invocation, 0))));
  },
};

/** Another server has neither a clock nor its path. */
async function ofDev<Answer>(client: Client, asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    if (!isMissing(error)) throw error;
    const isDev = await client.dev.clock().then(
      () => true,
      (other) => !isMissing(other),
    );
    throw isDev ? error : new CommandError("only postrider dev has a clock to put forward");
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function showLeap(output: Output, leap: ClockLeap): void {
  output.one(leap, () => `${clockText(leap)}${leap.isSettled ? "" : `\n${UNSETTLED}`}`);
}

function clockText({ now, aheadMs }: DevClock): string {
  const ahead = aheadMs === 0 ? "the time of this machine" : `${durationText(aheadMs)} ahead`;
  return `${timeText(now)}  ${ahead}${aheadMs === 0 ? "" : "; a restart of dev forgets that"}`;
}

const UNSETTLED = "Not everything that is due is done yet: see postrider status.";
