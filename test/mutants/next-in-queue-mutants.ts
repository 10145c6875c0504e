import { contract, IN_MEMORY, type Mutant, POSTGRES } from "./mutant.ts";

/** Defects of settlements that lease the next message of their queue. */
export const NEXT_IN_QUEUE_MUTANTS: readonly Mutant[] = [
  {
    name: "next in queue: the next message of a queue is leased though its limit was lowered",
    edits: [
      {
        within: "core/rules/message/next-in-queue.ts",
        find: "held <= (limits.parallelism ?? Infinity)",
        replace: "held <= Infinity",
      },
    ],
    suites: [contract("next-in-queue")],
    only: IN_MEMORY,
  },
  {
    name: "next in queue: the next message of a paused queue is leased",
    edits: [
      {
        within: "core/rules/message/next-in-queue.ts",
        find: "!limits.paused &&",
        replace: "limits.paused !== null &&",
      },
    ],
    suites: [contract("next-in-queue")],
    only: IN_MEMORY,
  },
  {
    name: "next in queue: the next message of a queue takes the slot that a callback holds",
    edits: [
      {
        within: "core/rules/message/settle.ts",
        find: "const successor = isReported ? null : successorOf",
        replace: "const successor = isReported === null ? null : successorOf",
      },
    ],
    suites: [contract("next-in-queue")],
    only: IN_MEMORY,
  },
  {
    name: "next in queue: the next message of a queue passes those that wait for its host",
    edits: [
      {
        within: "core/rules/message/next-in-queue.ts",
        find: "isDirect &&",
        replace: "isDirect !== null &&",
      },
    ],
    suites: [contract("next-in-queue")],
    only: IN_MEMORY,
  },
  {
    name: "next in queue: a suspect is leased as the next message of its queue",
    edits: [
      {
        within: "core/rules/message/next-in-queue.ts",
        find: "!isSuspect(state) &&",
        replace: "state.losses >= 0 &&",
      },
    ],
    suites: [contract("next-in-queue")],
    only: IN_MEMORY,
  },
  {
    name: "next in queue: settlements of one group lease the same next message",
    edits: [
      {
        within: "store/group/working-set.ts",
        find: 'state?.phase !== "waiting" || state.line !== key.line',
        replace: "state === null",
      },
    ],
    suites: [contract("next-in-queue")],
    only: IN_MEMORY,
  },
  {
    name: "next in queue: the next message of a queue is leased beside a change of its limits",
    edits: [
      {
        within: "store/group/line-rows.ts",
        find: "return isChanged ? [] : ",
        replace: "return isChanged && name === '' ? [] : ",
      },
    ],
    suites: [contract("next-in-queue")],
    only: IN_MEMORY,
  },
  {
    name: "next in queue: a settlement leases a message behind one that another transaction has locked",
    edits: [
      {
        within: "store/postgres/group/queue-heads.ts",
        find: 'row["turn"] === heads.length + 1',
        replace: 'row["turn"] !== 0',
      },
    ],
    suites: [contract("busy-rows")],
  },
  {
    name: "next in queue: on PostgreSQL the next message of a queue is leased though its account is counted",
    edits: [
      {
        within: "store/postgres/group/queue-heads.ts",
        find: "(halted OR parallelism_max IS NOT NULL)",
        replace: "halted",
      },
    ],
    suites: [contract("next-in-queue")],
    only: POSTGRES,
  },
  {
    name: "next in queue: a settlement may make the messages that it names wait for one of a queue",
    edits: [
      {
        within: "store/postgres/group/queue-heads.ts",
        find: "FOR UPDATE SKIP LOCKED",
        replace: "FOR UPDATE",
      },
    ],
    suites: [contract("busy-rows")],
  },
  {
    name: "next in queue: a node that stops goes on with its queues",
    edits: [
      {
        within: "engine/dispatch/slots-for-next.ts",
        find: "mayOvertake && mayStart() &&",
        replace: "mayOvertake &&",
      },
    ],
    suites: ["test/simulation/queues.test.ts"],
  },
  {
    name: "next in queue: a node that is full goes on with its queues",
    edits: [
      {
        within: "engine/dispatch/slots-for-next.ts",
        find: "&& this.#slots.hasSpareSlots(load)",
        replace: "",
      },
    ],
    suites: ["test/simulation/queues.test.ts"],
  },
  {
    name: "next in queue: a message is sent though its settlement was answered late",
    edits: [
      {
        within: "engine/dispatch/settler.ts",
        find: "if (next === null || !isTooOld())",
        replace: "if (next === null || isTooOld !== null)",
      },
    ],
    suites: ["test/simulation/late-leases.test.ts"],
  },
  {
    name: "next in queue: a lease is as old as the first try of its settlement",
    edits: [
      {
        within: "engine/dispatch/settler.ts",
        find: "leasedAt: clock.now()",
        replace: "leasedAt: at",
      },
    ],
    suites: ["test/simulation/late-leases.test.ts"],
  },
  {
    name: "hand-over: a message is sent though its publish was answered late",
    edits: [
      {
        within: "engine/dispatch/dispatcher.ts",
        find: "!isOld && this.#entrance",
        replace: "isOld !== null && this.#entrance",
      },
    ],
    suites: ["test/simulation/late-leases.test.ts"],
  },
];
