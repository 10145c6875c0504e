import type { PauseServiceAct, SetOperatorAct } from "../../act.ts";
import type { Rule } from "../../rule.ts";

/** Stores the operator; several nodes may try at once, and the first one wins. */
export const setOperator: Rule<SetOperatorAct> = {
  needs: () => ({ service: true }),
  decide: ({ operator }, rows) => {
    const service = rows.service();
    if (service.operator !== null) return { changes: [], answer: "exists" };
    return {
      changes: [{ type: "service.changed", service: { ...service, operator } }],
      answer: "set",
    };
  },
};

/** Stops all deliveries from starting, or allows them again. */
export const pauseService: Rule<PauseServiceAct> = {
  needs: () => ({ service: true }),
  decide: ({ isPaused }, rows) => ({
    changes: [{ type: "service.changed", service: { ...rows.service(), isPaused } }],
    answer: null,
  }),
};
