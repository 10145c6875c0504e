import { PLANS } from "../../core/model/account/account.ts";
import { STAT_STEPS_MS } from "../../core/model/account/stats.ts";
import { DIALECT_CHOICES } from "../../core/model/message/message.ts";
import { LIMITS } from "../../core/policy/limits/limit-table.ts";
import { LIMIT_FIELDS, shownLimit } from "../../core/policy/limits/limits.ts";
import {
  inlineObject,
  choice,
  flag,
  instant,
  list,
  type NoMembers,
  object,
  orNull,
  type Schema,
  text,
  integer,
  withKeywords,
} from "../json/schema.ts";

/** The answers about accounts, counts and nodes. A test holds them to real answers. */

const LIMIT_MEMBERS: NoMembers = Object.fromEntries(
  LIMIT_FIELDS.map((field) => {
    const { name, says, values } = LIMITS[field];
    return [name, integer(says, shownLimit(field, values[1]))];
  }),
);

const DIALECT = choice(
  DIALECT_CHOICES,
  "Headers of messages that were published without a `Svc-` or `Upstash-` header; null for the setting of the server.",
);

const RECORD = [
  {
    customer_id: text("The name of its owner, such as an address.", "team@example.com"),
    id: text("The id of the account.", "acc_01JGFJJZ00"),
    password: text("Empty, except in the answer that creates or rotates it."),
    token: text("Empty, except in the answer that creates or rotates it."),
    active: flag("False while the account is suspended.", true),
    state: choice(["active", "passive"]),
    modifying_state: choice(["", "suspended"]),
    paused: flag("Its deliveries wait.", false),
    dialect: orNull(DIALECT),
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

const PLAN = choice(PLANS, "The plan.");
const BUDGET = {
  ...integer("Dollars a month; 0 for no limit."),
  minimum: 0,
  maximum: 10_000,
};
const LIMIT_CHANGES = withKeywords(
  inlineObject(
    {},
    Object.fromEntries(LIMIT_FIELDS.map((field) => [LIMITS[field].name, orNull(integer())])),
  ),
  {
    description: "Limits by their names; null returns to the limit of the plan.",
    examples: [{ max_topics: 5 }],
  },
);

export const NEW_ACCOUNT = inlineObject(
  { customer_id: text("1 to 254 characters without blanks and colons.", "team@example.com") },
  { plan_name: { ...PLAN, default: "free" }, budget: BUDGET, limits: LIMIT_CHANGES },
);
export const PLAN_REQUEST = inlineObject({ plan_name: PLAN });
export const BUDGET_REQUEST = inlineObject({ budget: BUDGET });
export const DIALECT_REQUEST = inlineObject({ dialect: orNull(DIALECT) });
export const LIMITS_REQUEST = LIMIT_CHANGES;
export const OK: Schema<"OK"> = { const: "OK" };

export const KEYS = object("SigningKeys", {
  current: text("Verify signatures with it first.", "sig_4kd9..."),
  next: text("Verify with it if the current one does not match.", "sig_8ha2..."),
});

const DAY_COUNTS = {
  messages: integer("Messages created.", 120),
  delivered: integer("Messages delivered.", 118),
  failed: integer("Messages that became dead letters.", 2),
  dropped: integer("Dead letters deleted because there were too many.", 0),
};

export const ACCOUNT_STATS = object("AccountStats", {
  period: text("The period.", "1d"),
  ...DAY_COUNTS,
  daily_requests: integer("Messages of today.", 120),
  over_daily_limit: flag("Today's messages exceed max_requests_per_day.", false),
  days: list(inlineObject({ day: text("The day (UTC).", "2026-01-01"), ...DAY_COUNTS })),
});

const QUANTILE: Schema<number | null> = { type: ["number", "null"] };
const STATS = {
  published: integer("Messages created.", 120),
  attempts: integer("Attempts that ended.", 131),
  failedAttempts: integer("Attempts that failed.", 11),
  delivered: integer("Messages delivered.", 118),
  deadLettered: integer("Messages that became dead letters.", 2),
  canceled: integer("Messages canceled.", 0),
  p50Ms: { ...QUANTILE, description: "Half of the attempts took no longer.", examples: [34] },
  p95Ms: { ...QUANTILE, description: "95 % of the attempts took no longer.", examples: [210] },
  p99Ms: { ...QUANTILE, description: "99 % of the attempts took no longer.", examples: [480] },
  durations: list(integer(), "Attempts by how long they took, in buckets."),
};

export const SERIES = object("Series", {
  step: choice(Object.keys(STAT_STEPS_MS)),
  from: instant("The beginning of the first step."),
  to: instant("The end of the last step."),
  keptForMs: integer("How long such steps are kept."),
  durationBoundsMs: list(integer(), "Upper bounds of the buckets; the last one has none."),
  points: list(object("StatPoint", { at: instant("When the step begins."), ...STATS })),
  backlog: list(
    object("BacklogPoint", {
      at: instant("When the step begins."),
      due: integer("Messages that were due.", 3),
      later: integer("Messages whose delay or retry was not over.", 40),
      oldestDueMs: orNull(integer("How long the first one had been due.", 1_200)),
    }),
    "What waited at the end of each step.",
  ),
});

export const HOSTS = object("Hosts", {
  from: instant("Since when is counted."),
  hosts: list(
    object("HostStats", {
      host: text("Host, and port unless it is usual.", "example.com"),
      ...STATS,
    }),
  ),
});

export const NODES = object("Nodes", {
  nodes: list(
    object("Node", {
      nodeId: text("The id of the node, drawn when it starts."),
      name: text("Its host name, or its `--node-name`.", "node-1"),
      version: text("Its version of Postrider.", "0.1.0"),
      startedAt: instant("When it started."),
      slotsUsed: integer("Messages in hand.", 12),
      slotsMax: integer("Messages that it can have in hand.", 2_048),
      silentMs: integer("Milliseconds since its last heartbeat.", 1_200),
      paused: flag("It starts no deliveries.", false),
      live: flag("Its heartbeat is recent.", true),
    }),
  ),
  durability: choice(
    ["disk", "primary", "standby"],
    "Where an accepted message is: on the disk of SQLite, of the PostgreSQL primary, or of a synchronous standby as well.",
  ),
});

export const PAUSED = object("PausedServer", {
  paused: flag(),
  nodes: list(text(), "Nodes that start no deliveries any more."),
  pending: list(text(), "Nodes that may still start some."),
});
export const RESUMED = object("ResumedServer", { paused: flag() });
