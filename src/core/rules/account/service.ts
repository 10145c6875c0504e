import type { Rule } from "../../rule.ts";
import type { Operator } from "../../model/account/service-record.ts";

export interface SetOperatorAct {
  readonly rule: "set-operator";
  readonly operator: Operator;
}

/** Stores the operator; several nodes may try at once, and the first one wins. */
export const setOperator: Rule<SetOperatorAct, "set" | "exists"> = {
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

export interface PauseServiceAct {
  readonly rule: "pause-service";
  readonly isPaused: boolean;
}

/** Stops all deliveries from starting, or allows them again. */
export const pauseService: Rule<PauseServiceAct, null> = {
  needs: () => ({ service: true }),
  decide: ({ isPaused }, rows) => ({
    changes: [{ type: "service.changed", service: { ...rows.service(), isPaused } }],
    answer: null,
  }),
};
