/** The groups while they are watched: counts change in place, rows only when the reader is not among them. */
import { useRef, useState } from "preact/hooks";
import type { DeadLetterGroups, DeadLetterHosts } from "../../../sdk/src/answers/dead-letter.ts";
import { type ApiError, call } from "../app/api.ts";
import { useNews } from "../app/news.ts";
import { type DeadGroup, groupsOf, isOf } from "./dead-groups.ts";
import type { GroupedBy } from "./dead-filter.ts";
import type { DeadLetter } from "./dead-letter.ts";
import { loadPage } from "./dead-list.ts";

export interface DeadGroups {
  /** Null until the server has answered. */
  readonly groups: readonly DeadGroup[] | null;
  readonly error: ApiError | null;
  /** Groups came or went that are not shown yet. */
  readonly hasNews: boolean;
  readonly samplesOf: (group: DeadGroup) => readonly DeadLetter[];
  readonly reload: () => void;
}

interface Loaded {
  readonly by: GroupedBy;
  readonly groups: readonly DeadGroup[];
  readonly messages: readonly DeadLetter[];
  readonly runs: readonly DeadLetter[];
}

/** `by` is null where there are none. */
export function useDeadGroups(canMove: () => boolean, by: GroupedBy | null): DeadGroups {
  const [shown, setShown] = useState<Loaded | null>(null);
  const [hasNews, setNews] = useState(false);
  const isAsked = useRef(false);
  const resource = useNews(
    by === null ? null : { name: `${LISTED[by]} and samples`, load: (gone) => loadAll(by, gone) },
    (next) => {
      const isFree = shown?.by !== by || isAsked.current || canMove();
      isAsked.current = false;
      setShown(isFree ? next : inPlace(shown, next));
      setNews(!isFree && isOther(shown.groups, next.groups));
    },
    0,
  );
  return {
    groups: shown?.by === by ? shown.groups : null,
    error: resource.error,
    hasNews,
    samplesOf: (group) =>
      (shown?.[group.kind] ?? []).filter((letter) => isOf(group, letter, group.kind)),
    reload: () => {
      isAsked.current = true;
      resource.reload();
    },
  };
}

async function loadAll(by: GroupedBy, gone: AbortSignal): Promise<Loaded> {
  const [groups, newestMessages, newestRuns] = await Promise.all([
    by === "error" ? loadErrors(gone) : loadHosts(gone),
    loadPage("messages", {}, SAMPLES, null, gone),
    loadPage("runs", {}, SAMPLES, null, gone),
  ]);
  return {
    by,
    groups,
    messages: newestMessages.messages,
    runs: newestRuns.messages,
  };
}

async function loadErrors(gone: AbortSignal): Promise<DeadGroup[]> {
  const [messages, runs] = await Promise.all([
    call<DeadLetterGroups>(LISTED.error, { signal: gone }),
    call<DeadLetterGroups>(`${LISTED.error}?source=workflow`, { signal: gone }),
  ]);
  return groupsOf(messages.groups, runs.groups);
}

async function loadHosts(gone: AbortSignal): Promise<DeadGroup[]> {
  const [messages, runs] = await Promise.all([
    call<DeadLetterHosts>(LISTED.host, { signal: gone }),
    call<DeadLetterHosts>(`${LISTED.host}?source=workflow`, { signal: gone }),
  ]);
  return groupsOf(messages.hosts, runs.hosts);
}

function inPlace(before: Loaded, next: Loaded): Loaded {
  const newest = new Map(next.groups.map((group) => [group.key, group]));
  const groups = before.groups.map((group) => newest.get(group.key) ?? { ...group, count: 0 });
  return { ...next, groups };
}

function isOther(before: readonly DeadGroup[], next: readonly DeadGroup[]): boolean {
  const known = new Set(before.map(({ key }) => key));
  return next.some(({ key }) => !known.has(key));
}

const LISTED: Readonly<Record<GroupedBy, string>> = {
  error: "/v2/dlq/groups",
  host: "/v2/dlq/hosts",
};
const SAMPLES = 100;
