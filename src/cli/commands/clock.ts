import type { ClockLeap, DevClock } from "../../../sdk/src/answers/dev.ts";
import { type Handlers, word } from "../invocation.ts";
import type { Output } from "../terminal/output.ts";
import { durationText, timeText } from "../terminal/time-text.ts";

export const HANDLERS: Handlers = {
  "clock show": async ({ client, output }) => {
    const clock = await client.dev.clock();
    output.one(clock, () => clockText(clock));
  },
  "clock advance": async ({ client, output, ...invocation }) => {
    showLeap(output, await client.dev.advance(word(invocation, 0)));
  },
  "clock until": async ({ client, output, ...invocation }) => {
    showLeap(output, await client.dev.advanceToSchedule(word(invocation, 0)));
  },
};

function showLeap(output: Output, leap: ClockLeap): void {
  output.one(leap, () => `${clockText(leap)}${leap.isSettled ? "" : `\n${UNSETTLED}`}`);
}

function clockText({ now, aheadMs }: DevClock): string {
  const ahead = aheadMs === 0 ? "the time of this machine" : `${durationText(aheadMs)} ahead`;
  return `${timeText(now)}  ${ahead}${aheadMs === 0 ? "" : "; a restart of dev forgets that"}`;
}

const UNSETTLED = "Not everything that is due is done yet: see postrider status.";
