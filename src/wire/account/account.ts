import type { AccountContents, AccountRecord } from "../../core/model/account/account.ts";
import { LIMITS } from "../../core/policy/limits/limit-table.ts";
import { LIMIT_FIELDS, type LimitField, shownLimit } from "../../core/policy/limits/limits.ts";
import {
  choice,
  flag,
  inlineObject,
  integer,
  list,
  type NoMembers,
  object,
  orNull,
  type Schema,
  text,
  type TypeOf,
} from "../json/schema.ts";
import { DIALECT } from "./account-request.ts";

const LIMIT_MEMBERS: NoMembers = Object.fromEntries(
  LIMIT_FIELDS.map((field) => {
    const { name, says, values } = LIMITS[field];
    return [name, integer(says, shownLimit(field, values[1]))];
  }),
);

const RECORD = [
  {
    customer_id: text("The name of its owner, such as an address.", "team@example.com"),
    id: text("The id of the account.", "acc_01JGFJJZ00"),
    password: text("Empty, except in the answer that creates or rotates it."),
    token: text("Empty, except in the answer that creates or rotates it."),
    active: flag("False while the account is suspended.", true),
    state: choice(["active", "passive"]),
    modifying_state: choice(["", "suspended", "deleting"]),
    paused: flag("Its deliveries wait.", false),
    dialect: DIALECT,
    last_plan_upgrade_time: integer("Unix seconds.", 1_767_225_600),
    type: choice(["free", "paid"]),
    reserved_type: text("The plan, if it is a fixed one."),
    reserved_price: integer("Always 0."),
    prod_pack_enabled: flag("Always false."),
    prometheus_enabled: text("Always false."),
    region: text("The region.", "eu-central-1"),
    budget: integer("Dollars a month; 0 for no limit.", 0),
    created_by: text("Who created it."),
    creation_time: integer("Unix seconds.", 1_767_225_600),
    ...LIMIT_MEMBERS,
    limit_overrides: {
      ...inlineObject({}, LIMIT_MEMBERS),
      description: "Limits that differ from those of the plan.",
      examples: [{ max_topics: 5 }],
    },
  },
  { read_only_token: text("Only in the answer that creates or rotates it.") },
] as const;

export const ACCOUNT = object("Account", ...RECORD);
export const ACCOUNTS = list(ACCOUNT);

export const OWN_ACCOUNT = object(
  "OwnAccount",
  {
    ...RECORD[0],
    access: choice(["full", "read-only"], "What the token may do."),
    usage: list(
      inlineObject({
        limit: text("The name of the limit.", "max_queues"),
        used: integer("How much of it is used. The count ends at 100,000.", 12),
        max: orNull(integer("The limit; null for none.", 100)),
        says: text("What it means."),
      }),
    ),
  },
  RECORD[1],
);

export const KEYS = object("SigningKeys", {
  current: text("Verify signatures with it first.", "sig_4kd9..."),
  next: text("Verify with it if the current one does not match.", "sig_8ha2..."),
});

/** The secrets of an account in clear, for the one response that may show them. */
export interface AccountSecrets {
  readonly token: string;
  readonly readOnlyToken: string;
  readonly password: string;
}

/** The account record. Without secrets their fields are empty texts. */
export function accountJson(
  account: AccountRecord,
  region: string,
  secrets?: AccountSecrets,
): TypeOf<typeof ACCOUNT> {
  const isFixed = account.plan !== "free" && account.plan !== "paid";
  return {
    customer_id: account.customerId,
    id: account.accountId,
    password: secrets?.password ?? "",
    token: secrets?.token ?? "",
    ...(secrets === undefined ? {} : { read_only_token: secrets.readOnlyToken }),
    active: !account.isSuspended,
    state: account.isSuspended ? "passive" : "active",
    modifying_state: modifyingState(account),
    paused: account.isPaused,
    dialect: account.dialect ?? null,
    last_plan_upgrade_time: unixSeconds(account.planChangedAt),
    type: account.plan === "free" ? "free" : "paid",
    reserved_type: isFixed ? account.plan : "",
    reserved_price: 0,
    prod_pack_enabled: false,
    prometheus_enabled: "false",
    region: recordRegion(region),
    budget: account.budgetDollars,
    created_by: account.createdBy,
    creation_time: unixSeconds(account.createdAt),
    ...limitsJson(account),
  };
}

function modifyingState({ deletingSince, isSuspended }: AccountRecord) {
  if (deletingSince !== undefined) return "deleting";
  return isSuspended ? "suspended" : "";
}

const COUNT = (says: string): Schema<number> => integer(`${says} The count ends at 100,000.`);

export const DELETION = object("AccountDeletion", {
  id: text("The id of the account.", "acc_01JGFJJZ00"),
  customer_id: text("The name of its owner.", "team@example.com"),
  deleting: flag("It is being deleted; the counts are what is left."),
  counts: inlineObject({
    messages: COUNT("Messages, also those that have ended."),
    runs: COUNT("Runs of workflows."),
    dead_letters: COUNT("Dead letters."),
    log_entries: COUNT("Entries of the log."),
    schedules: COUNT("Schedules."),
    queues: COUNT("Queues."),
    flow_control_keys: COUNT("Flow-control keys."),
    url_groups: COUNT("URL groups."),
  }),
});

export function deletionJson(
  { accountId, customerId, deletingSince }: AccountRecord,
  contents: AccountContents,
): TypeOf<typeof DELETION> {
  return {
    id: accountId,
    customer_id: customerId,
    deleting: deletingSince !== undefined,
    counts: {
      messages: contents.messages,
      runs: contents.runs,
      dead_letters: contents.deadLetters,
      log_entries: contents.logEntries,
      schedules: contents.schedules,
      queues: contents.queues,
      flow_control_keys: contents.flowControlKeys,
      url_groups: contents.urlGroups,
    },
  };
}

function limitsJson({ limits, overrides }: AccountRecord) {
  const shown = (field: LimitField): [string, number] => [
    LIMITS[field].name,
    shownLimit(field, limits[field]),
  ];
  const overridden = LIMIT_FIELDS.filter((field) => Object.hasOwn(overrides, field));
  return {
    ...Object.fromEntries(LIMIT_FIELDS.map(shown)),
    limit_overrides: Object.fromEntries(overridden.map(shown)),
  };
}

/** The record knows two regions; a service in neither shows the first. */
function recordRegion(region: string): string {
  return region.toLowerCase() === "us-east-1" ? "us-east-1" : "eu-central-1";
}

const unixSeconds = (at: number): number => Math.floor(at / 1_000);

interface ShownUsage {
  readonly account: AccountRecord;
  readonly isReadOnly: boolean;
  readonly usage: readonly { readonly field: LimitField; readonly used: number }[];
}

/** The caller's account record, what its token may do, and how much of each limit is used. */
export function ownAccountJson(
  { account, isReadOnly, usage }: ShownUsage,
  region: string,
): TypeOf<typeof OWN_ACCOUNT> {
  return {
    ...accountJson(account, region),
    access: isReadOnly ? "read-only" : "full",
    usage: usage.map(({ field, used }) => ({
      limit: LIMITS[field].name,
      used,
      max: account.limits[field],
      says: LIMITS[field].says,
    })),
  };
}
