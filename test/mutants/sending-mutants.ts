import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** Defects of groups, batches and of cancelling many. */
export const SENDING_MUTANTS: readonly Mutant[] = [
  {
    name: "sending: an id stands once for a whole group",
    edits: [
      {
        within: "core/rules/message/deduplication.ts",
        find: "urlGroup === undefined\n",
        replace: "topicName !== null\n",
      },
    ],
    suites: ["src/core/rules/message/deduplication.test.ts"],
  },
  {
    name: "sending: messages of a group have one position in a queue",
    edits: [
      {
        within: "core/rules/message/compose.ts",
        find: "rootId: shared.rootId === undefined ? undefined : messageId,",
        replace: "rootId: shared.rootId,",
      },
    ],
    suites: ["src/core/rules/message/compose.test.ts"],
  },
  {
    name: "sending: a further group is made past the limit",
    edits: [
      {
        within: "core/rules/url-group/url-groups.ts",
        find: ">= urlGroupsMax",
        replace: "> urlGroupsMax",
      },
    ],
    suites: [contract("url-groups")],
    only: IN_MEMORY,
  },
  {
    name: "sending: groups are counted without the account's lock",
    edits: [
      {
        within: "core/rules/url-group/url-groups.ts",
        find: "    accounts: [key.accountId],\n",
        replace: "",
      },
    ],
    suites: [contract("postgres/url-groups")],
  },
  {
    name: "sending: a group's headers win over the request's",
    edits: [
      {
        within: "wire/headers/header-reading.ts",
        find: "    if (isGiven) continue;\n",
        replace: "",
      },
    ],
    suites: ["test/journeys/url-groups.test.ts"],
    only: "sqlite",
  },
  {
    name: "sending: an item that is refused stands against the whole batch",
    edits: [
      {
        within: "operations/message/batch.ts",
        find: "problem.retryAfterSeconds === undefined",
        replace: "problem.retryAfterSeconds !== undefined",
      },
    ],
    suites: ["test/journeys/batch.test.ts"],
    only: "sqlite",
  },
  {
    name: "sending: a bulk cancel reaches what was made after its start",
    edits: [
      {
        within: "store/sqlite/reads/messages.ts",
        find: "message_id > $2 AND message_id <= $3 AND cancel_requested = 0",
        replace: "message_id > $2 AND $3 IS NOT NULL AND cancel_requested = 0",
      },
    ],
    suites: [contract("live-messages")],
    only: IN_MEMORY,
  },
  {
    name: "sending: a message that is cancelled already is found again",
    edits: [
      {
        within: "store/postgres/reads/messages.ts",
        find: " AND NOT cancel_requested",
        replace: "",
      },
    ],
    suites: [contract("live-messages")],
    only: POSTGRES,
  },
];
