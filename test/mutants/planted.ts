import { ACCOUNT_MUTANTS } from "./account-mutants.ts";
import { CLOCK_MUTANTS } from "./clock-mutants.ts";
import { CONNECTION_MUTANTS } from "./connection-mutants.ts";
import { CRASH_MUTANTS } from "./crash-mutants.ts";
import { DIALECT_MUTANTS } from "./dialect-mutants.ts";
import { FILE_MUTANTS } from "./file-mutants.ts";
import { HIDING_MUTANTS } from "./hiding-mutants.ts";
import { HOOK_MUTANTS } from "./hook-mutants.ts";
import { HOST_MUTANTS } from "./host-mutants.ts";
import { KEPT_MUTANTS } from "./kept-mutants.ts";
import { LIMIT_MUTANTS } from "./limit-mutants.ts";
import { LIST_MUTANTS } from "./list-mutants.ts";
import { LINE_MUTANTS } from "./line-mutants.ts";
import { MEMORY_MUTANTS } from "./memory-mutants.ts";
import { OBSERVING_MUTANTS } from "./observing-mutants.ts";
import { OUTAGE_MUTANTS } from "./outage-mutants.ts";
import { OVERRIDE_MUTANTS } from "./override-mutants.ts";
import { REPLY_MUTANTS } from "./reply-mutants.ts";
import { RESUME_MUTANTS } from "./resume-mutants.ts";
import { ROW_MUTANTS } from "./row-mutants.ts";
import { RULE_MUTANTS } from "./rule-mutants.ts";
import { RUN_MUTANTS } from "./run-mutants.ts";
import { SCHEDULE_MUTANTS } from "./schedule-mutants.ts";
import { SDK_MUTANTS } from "./sdk-mutants.ts";
import { SENDING_MUTANTS } from "./sending-mutants.ts";
import { SESSION_MUTANTS } from "./session-mutants.ts";
import { STORE_MUTANTS } from "./store-mutants.ts";
import { TURN_MUTANTS } from "./turn-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { LINE_OPENING_MUTANTS } from "./line-opening-mutants.ts";

/** Every defect that is planted. */
export const PLANTED: readonly Mutant[] = [
  ...ACCOUNT_MUTANTS,
  ...CLOCK_MUTANTS,
  ...CONNECTION_MUTANTS,
  ...CRASH_MUTANTS,
  ...DIALECT_MUTANTS,
  ...FILE_MUTANTS,
  ...HIDING_MUTANTS,
  ...HOOK_MUTANTS,
  ...HOST_MUTANTS,
  ...KEPT_MUTANTS,
  ...LIMIT_MUTANTS,
  ...LIST_MUTANTS,
  ...LINE_MUTANTS,
  ...MEMORY_MUTANTS,
  ...LINE_OPENING_MUTANTS,
  ...OBSERVING_MUTANTS,
  ...OUTAGE_MUTANTS,
  ...OVERRIDE_MUTANTS,
  ...REPLY_MUTANTS,
  ...RESUME_MUTANTS,
  ...ROW_MUTANTS,
  ...RULE_MUTANTS,
  ...RUN_MUTANTS,
  ...SCHEDULE_MUTANTS,
  ...SDK_MUTANTS,
  ...SENDING_MUTANTS,
  ...SESSION_MUTANTS,
  ...STORE_MUTANTS,
  ...TURN_MUTANTS,
];
