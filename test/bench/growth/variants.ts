import type { Store } from "../../../src/store/store.ts";
import { type Destination, startDestination } from "../destination.ts";
import {
  addAccounts,
  addBehindKey,
  addKeys,
  addQueues,
  addWaiting,
  type Filling,
} from "../fill.ts";
import type { RoundPlan } from "../round.ts";
import { startPostgresNode, startSqlite, type Subject, WITHOUT_NUMBERS } from "../subjects.ts";
import { addOldMessages, OLD_MS, oldMessagesMissing } from "./old-messages.ts";

/** Two loads that are held against each other, in turns: the base, and one that has more of something. */
export interface Contest {
  readonly names: readonly [string, string];
  readonly subjects: readonly [Subject, Subject];
  /** Where the results go; among the others of growth unless this is given. */
  readonly part?: "growth" | "waiting";
  /** What both do, one after the other; the usual unless this is given. */
  readonly loads?: readonly Load[];
  /** What the second one does otherwise. */
  readonly using?: Pick<RoundPlan, "lines" | "accounts" | "urls" | "hosts">;
  /** Where the messages of the second one go, when not to the same place. */
  readonly destination?: Destination;
  /** Why the rounds did not measure what they should have; null when they did. */
  readonly invalid?: () => Promise<string | null>;
}

interface Load {
  /** Behind the names of the two. */
  readonly suffix: string;
  readonly plan: Pick<RoundPlan, "delay">;
}

export const USUAL: readonly Load[] = [{ suffix: "", plan: {} }];

export const LINES = 10_000;
const BEHIND = 100_000;
const ACCOUNTS = 1_000;
const URLS = 1_000;
const HOSTS = 1_000;
const ANSWER_BYTES = 1_024;

type Start = (filling?: Filling, holding?: string, flags?: readonly string[]) => Promise<Subject>;

const STARTS: Readonly<Record<string, Start>> = {
  sqlite: startSqlite,
  postgres: startPostgresNode,
};

/** How much is put into the stores of some variants. */
interface Sizes {
  readonly oldMessages: number;
  readonly waiting: number;
}

const CONTESTS: Readonly<Record<string, (start: Start, sizes: Sizes) => Promise<Contest>>> = {
  lines: async (start) => {
    const subject = await start(addQueuesAndKeys);
    const names = ["without queues and keys", `${LINES} queues, ${LINES} keys`] as const;
    return { names, subjects: [subject, subject], using: { lines: LINES } };
  },
  accounts: async (start) => {
    const subject = await start((store) => addAccounts(store, ACCOUNTS));
    const names = ["one account", `${ACCOUNTS} accounts in turn`] as const;
    return { names, subjects: [subject, subject], using: { accounts: ACCOUNTS } };
  },
  urls: async (start) => {
    const subject = await start();
    const names = ["one URL", `${URLS} URLs of one host`] as const;
    return { names, subjects: [subject, subject], using: { urls: URLS } };
  },
  hosts: async (start) => {
    const subject = await start();
    const names = ["one host", `${HOSTS} hosts`] as const;
    return { names, subjects: [subject, subject], using: { hosts: HOSTS } };
  },
  answers: async (start) => {
    const subject = await start();
    const names = ["empty answers", `answers of ${ANSWER_BYTES} bytes`] as const;
    const destination = await startDestination(ANSWER_BYTES);
    return { names, subjects: [subject, subject], destination };
  },
  retention: async (start, { oldMessages }) => {
    // Both stores are of the same size; only the second one has something to delete.
    const young = await start((store) => addOldMessages(store, oldMessages, 0));
    const old = await start((store) => addOldMessages(store, oldMessages, OLD_MS));
    const names = ["nothing too old", "old messages being deleted"] as const;
    return { names, subjects: [young, old], invalid: () => oldMessagesMissing(old) };
  },
  shut: async (start) => {
    const full = await start((store) => addBehindKey(store, BEHIND));
    return { names: ["empty", `${BEHIND} behind a shut key`], subjects: [await start(), full] };
  },
  waiting: async (start, { waiting }) => {
    const full = await start(addWaiting(waiting));
    const names = ["empty store", `${waiting} waiting`] as const;
    // A delayed message is claimed when it is due; another is sent by the node that has stored it.
    const loads = [...USUAL, { suffix: ", delayed by 1 s", plan: { delay: "1s" } }];
    return { names, subjects: [await start(), full], part: "waiting", loads };
  },
  numbers: async (start) => {
    const without = await start(undefined, "", WITHOUT_NUMBERS);
    return { names: ["counting nothing", "counting"], subjects: [without, await start()] };
  },
};

/** Such as `sqlite-accounts`; null when there is no such variant. */
export function growthVariant(variant: string): ((sizes: Sizes) => Promise<Contest>) | null {
  const [store = "", ...name] = variant.split("-");
  const start = STARTS[store];
  const contest = CONTESTS[name.join("-")];
  if (start === undefined || contest === undefined) return null;
  return (sizes) => contest(start, sizes);
}

/** The same lines, used from the first message on by a service that has just been started. */
export const COLD_VARIANTS: Readonly<Record<string, () => Promise<Subject>>> = {
  "sqlite-lines-cold": () => startSqlite((store) => addQueues(store, LINES)),
  "postgres-lines-cold": () => startPostgresNode((store) => addQueues(store, LINES)),
};

async function addQueuesAndKeys(store: Store): Promise<void> {
  await addQueues(store, LINES);
  await addKeys(store, LINES);
}
