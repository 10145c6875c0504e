import { ACCOUNT_MUTANTS } from "./account-mutants.ts";
import { CLOCK_MUTANTS } from "./clock-mutants.ts";
import { CONNECTION_MUTANTS } from "./connection-mutants.ts";
import { CRASH_MUTANTS } from "./crash-mutants.ts";
import { FILE_MUTANTS } from "./file-mutants.ts";
import { HIDING_MUTANTS } from "./hiding-mutants.ts";
import { HOST_MUTANTS } from "./host-mutants.ts";
import { LIMIT_MUTANTS } from "./limit-mutants.ts";
import { LINE_MUTANTS } from "./line-mutants.ts";
import { NEXT_IN_QUEUE_MUTANTS } from "./next-in-queue-mutants.ts";
import { OUTAGE_MUTANTS } from "./outage-mutants.ts";
import { PIECE_MUTANTS } from "./piece-mutants.ts";
import { REPLY_MUTANTS } from "./reply-mutants.ts";
import { ROW_MUTANTS } from "./row-mutants.ts";
import { RULE_MUTANTS } from "./rule-mutants.ts";
import { RUN_MUTANTS } from "./run-mutants.ts";
import { SDK_MUTANTS } from "./sdk-mutants.ts";
import { SECRET_MUTANTS } from "./secret-mutants.ts";
import { SESSION_MUTANTS } from "./session-mutants.ts";
import { STORE_MUTANTS } from "./store-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { LINE_OPENING_MUTANTS } from "./line-opening-mutants.ts";

/** Every defect that is planted. */
export const PLANTED: readonly Mutant[] = [
  ...ACCOUNT_MUTANTS,
  ...CLOCK_MUTANTS,
  ...CONNECTION_MUTANTS,
  ...CRASH_MUTANTS,
  ...FILE_MUTANTS,
  ...HIDING_MUTANTS,
  ...HOST_MUTANTS,
  ...LIMIT_MUTANTS,
  ...LINE_MUTANTS,
  ...LINE_OPENING_MUTANTS,
  ...NEXT_IN_QUEUE_MUTANTS,
  ...OUTAGE_MUTANTS,
  ...PIECE_MUTANTS,
  ...REPLY_MUTANTS,
  ...ROW_MUTANTS,
  ...RULE_MUTANTS,
  ...RUN_MUTANTS,
  ...SDK_MUTANTS,
  ...SECRET_MUTANTS,
  ...SESSION_MUTANTS,
  ...STORE_MUTANTS,
];
