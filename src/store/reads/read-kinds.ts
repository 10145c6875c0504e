import type { Reader } from "../reader.ts";
import type { DriverReader } from "./reading.ts";

/**
 * How a method reads. A driver runs lists and surveys apart from the others, so that authentication
 * and deliveries never wait for a list.
 */
export type ReadKind =
  /** One row or a few, which a request waits for before its message is stored. */
  | "immediate"
  | "single"
  /** Lists or counts what one account has; accounts take turns. */
  | "list"
  /** A list of any length, read in slices that each wait for a turn. */
  | "pages"
  /** Lists or counts for the service itself, which has no turns to take. */
  | "survey";

type Kinds<Noun extends keyof Reader> = {
  readonly [Method in keyof Reader[Noun]]: Reader[Noun][Method] extends DriverReader[Noun][Method]
    ? Exclude<ReadKind, "pages">
    : "pages";
};

const READ_KINDS: { readonly [Noun in keyof Reader]: Kinds<Noun> } = {
  messages: {
    get: "single",
    settings: "list",
    callbacks: "list",
    bodyPart: "single",
    lastStates: "single",
    underWay: "single",
    lastLive: "list",
    live: "list",
    log: "pages",
  },
  deadLetters: { get: "single", list: "pages", keys: "pages", groups: "list", hosts: "list" },
  runs: {
    get: "single",
    entries: "single",
    hasStep: "single",
    active: "pages",
    counts: "list",
    list: "pages",
    history: "list",
  },
  deadRuns: { get: "single", list: "pages", keys: "pages" },
  waiters: { forEvent: "single", due: "single" },
  schedules: { get: "single", list: "list", due: "single", later: "single" },
  lines: {
    areSet: "immediate",
    report: "list",
    list: "list",
    names: "list",
    load: "single",
    waiting: "list",
    holders: "list",
    countQueues: "immediate",
    lastPosition: "single",
    queued: "list",
  },
  urlGroups: { get: "immediate", list: "list" },
  accounts: {
    get: "immediate",
    getAll: "immediate",
    byTokens: "immediate",
    byCustomer: "single",
    list: "survey",
    dailyCounts: "single",
    usage: "list",
    contents: "survey",
  },
  stats: { series: "list", hosts: "list", backlog: "list" },
  service: { get: "immediate", nodes: "single", durability: "immediate" },
  upkeep: {
    leases: "single",
    oldest: "survey",
    olderDeadLetter: "survey",
    logEnd: "single",
    counts: "survey",
    upcoming: "single",
    agenda: "single",
    backlogCountedAt: "single",
    countBacklog: "survey",
    size: "single",
  },
};

export function isApart(kind: ReadKind): boolean {
  return kind === "list" || kind === "pages" || kind === "survey";
}

export type Read = (...asked: unknown[]) => Promise<unknown>;

export interface ReadMethod {
  /** "messages.get" */
  readonly name: string;
  readonly noun: keyof Reader;
  readonly method: string;
  readonly kind: ReadKind;
}

export const READ_METHODS: readonly ReadMethod[] = Object.entries(READ_KINDS).flatMap(
  ([noun, kinds]) =>
    Object.entries<ReadKind>(kinds).map(([method, kind]) => ({
      name: `${noun}.${method}`,
      noun: noun as keyof Reader,
      method,
      kind,
    })),
);

/** Every method by its noun; it may stand for a Reader or a DriverReader. */
type EveryMethod = {
  readonly [Noun in keyof Reader]: {
    [Method in keyof Reader[Noun]]: (...asked: unknown[]) => Promise<never>;
  };
};

export function everyMethod(make: (method: ReadMethod) => Read): EveryMethod {
  const nouns: Record<string, Record<string, Read>> = {};
  for (const each of READ_METHODS) (nouns[each.noun] ??= {})[each.method] = make(each);
  return nouns as unknown as EveryMethod;
}
