/** The groups while they are watched: counts change in place, rows only when the reader is not among them. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { DeadLetterGroups } from "../answers/message.ts";
import { ApiError, call } from "../app/api.ts";
import { useRefresh } from "../app/refresh.ts";
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
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [hasNews, setNews] = useState(false);
  const may = useRef(canMove);
  may.current = canMove;
  const load = async (isAsked: boolean): Promise<void> => {
    try {
      const next = await loadAll();
      const isFree = isAsked || may.current();
      setLoaded((before) => (before === null || isFree ? next : inPlace(before, next)));
      setNews(!isFree && loaded !== null && isOther(loaded.groups, next.groups));
      setError(null);
    } catch (problem) {
      if (problem instanceof ApiError) setError(problem);
      throw problem;
    }
  };
  const ask = (): void => void load(true).catch(() => undefined);
  useEffect(() => {
    if (isOn) ask();
  }, [isOn]);
  useRefresh(isOn, () => load(false));
  return {
    groups: loaded?.groups ?? null,
    error,
    hasNews,
    samplesOf: (group) =>
      (loaded?.[group.kind] ?? []).filter((letter) => isOf(group, letter, group.kind)),
    reload: ask,
  };
}

async function loadAll(): Promise<Loaded> {
  const [messages, runs, newestMessages, newestRuns] = await Promise.all([
    call<DeadLetterGroups>("/v2/dlq/groups"),
    call<DeadLetterGroups>("/v2/dlq/groups?source=workflow"),
    loadPage("messages", {}, SAMPLES, null),
    loadPage("runs", {}, SAMPLES, null),
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
