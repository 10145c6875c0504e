/** The groups while they are watched: counts change in place, rows only when the reader is not among them. */
import { useRef, useState } from "preact/hooks";
import type { DeadLetterGroups } from "../../../sdk/src/answers/dead-letter.ts";
import { type ApiError, call } from "../app/api.ts";
import { useNews } from "../app/news.ts";
import { type DeadGroup, groupsOf, isOf } from "./dead-groups.ts";
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
  readonly groups: readonly DeadGroup[];
  readonly messages: readonly DeadLetter[];
  readonly runs: readonly DeadLetter[];
}

export function useDeadGroups(canMove: () => boolean, isOn: boolean): DeadGroups {
  const [shown, setShown] = useState<Loaded | null>(null);
  const [hasNews, setNews] = useState(false);
  const isAsked = useRef(false);
  const resource = useNews(
    isOn ? { name: "/v2/dlq/groups and samples", load: loadAll } : null,
    (next) => {
      const isFree = shown === null || isAsked.current || canMove();
      isAsked.current = false;
      setShown(isFree ? next : inPlace(shown, next));
      setNews(!isFree && isOther(shown.groups, next.groups));
    },
    0,
  );
  return {
    groups: shown?.groups ?? null,
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

async function loadAll(gone: AbortSignal): Promise<Loaded> {
  const [messages, runs, newestMessages, newestRuns] = await Promise.all([
    call<DeadLetterGroups>("/v2/dlq/groups", { signal: gone }),
    call<DeadLetterGroups>("/v2/dlq/groups?source=workflow", { signal: gone }),
    loadPage("messages", {}, SAMPLES, null, gone),
    loadPage("runs", {}, SAMPLES, null, gone),
  ]);
  return {
    groups: groupsOf(messages.groups, runs.groups),
    messages: newestMessages.messages,
    runs: newestRuns.messages,
  };
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

const SAMPLES = 100;
