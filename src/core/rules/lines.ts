import type { LimitLineAct } from "../act.ts";
import type { Rule } from "../rule.ts";

/** New limits rule at once: whoever waits may now be let through. */
export const limitLine: Rule<LimitLineAct> = {
  needs: () => ({}),
  decide: ({ limited, at }) => {
    const { accountId, line } = limited;
    return {
      changes: [
        { type: "line.limited", limited },
        { type: "line.due", accountId, line, at },
      ],
      answer: null,
    };
  },
};
