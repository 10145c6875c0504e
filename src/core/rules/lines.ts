import type { LimitLineAct } from "../act.ts";
import type { LineLimits } from "../model/line.ts";
import type { LineKey, LineSetting } from "../model/line-setting.ts";
import type { Instant } from "../model/message.ts";
import type { Rule } from "../rule.ts";

/** New limits rule at once: whoever waits may now be let through. */
export const limitLine: Rule<LimitLineAct> = {
  needs: ({ limited }) => ({ lineSettings: [limited] }),
  decide: ({ limited, at }, rows) => {
    const { accountId, line, limits } = limited;
    const known = rows.lineSetting(limited) ?? newLineSetting(limited, at);
    return {
      changes: [
        { type: "line.set", setting: { ...known, limits, updatedAt: at } },
        { type: "line.due", accountId, line, at },
      ],
      answer: null,
    };
  },
};

/** The setting of a line that nobody has set before. */
function newLineSetting(
  { accountId, line, limits }: LineKey & { readonly limits: LineLimits },
  at: Instant,
): LineSetting {
  return {
    accountId,
    line,
    limits,
    isParallelismPinned: false,
    isRatePinned: false,
    createdAt: at,
    updatedAt: at,
  };
}
