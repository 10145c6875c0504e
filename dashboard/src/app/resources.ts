/**
 * The answers that are on the screen, by what was asked. Panels that ask for the same share one request, one poll and
 * one answer. What no panel shows is forgotten, and a hidden tab asks for nothing.
 */
import { type Signal, signal } from "@preact/signals";
import { ApiError, call, whenChanged } from "./api.ts";
import { isChangedBy } from "./changes.ts";
import { serverNow } from "./clock.ts";
import { noteReached, noteUnreachable } from "./reachable.ts";
import { whenSessionOver } from "./session.ts";

export interface Source<Value> {
  /** The same for all who ask for the same. It begins with a path of the API, by which actions find it. */
  readonly name: string;
  readonly load: (signal: AbortSignal) => Promise<Value>;
}

/** What one path answers. */
export function pathSource<Value>(path: string): Source<Value> {
  return { name: path, load: (gone) => call<Value>(path, { signal: gone }) };
}

export interface Answer<Value> {
  /** The newest answer; it stays while a newer one cannot be had. */
  readonly value: Value | null;
  readonly error: ApiError | null;
  /** When the value was read. */
  readonly readAt: number | null;
  /** When the server was last asked. */
  readonly askedAt: number | null;
}

/** What a panel that shows the answer wants. */
export interface Watch {
  /** How often a newer one; null for none after the first. */
  readonly everyMs: number | null;
  /** The first after this time, where the panel has read it by itself. */
  readonly firstAfterMs?: number;
}

export const NOTHING: Answer<never> = { value: null, error: null, readAt: null, askedAt: null };
const shown = new Map<string, SharedAnswer<unknown>>();

/** The answer of this name: that of the panels that show it, or else a new one. */
export function sharedAnswer<Value>(name: string): SharedAnswer<Value> {
  // A name stands for one question, and so for one type of value.
  return (shown.get(name) as SharedAnswer<Value> | undefined) ?? new SharedAnswer<Value>(name);
}

export class SharedAnswer<Value> {
  readonly answer: Signal<Answer<Value>> = signal(NOTHING);
  readonly #name: string;
  readonly #watches = new Set<Watch>();
  #load: Source<Value>["load"] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #forgetting: ReturnType<typeof setTimeout> | undefined;
  #request: AbortController | null = null;
  /** Within which time to ask again after the request on its way, which may miss what has happened meanwhile. */
  #againWithinMs = Number.POSITIVE_INFINITY;

  constructor(name: string) {
    this.#name = name;
    shown.set(name, this);
    this.#forgetLater();
  }

  /** Keeps it until the function that is returned is called. The newest panel says how it is loaded. */
  watch(load: Source<Value>["load"], watch: Watch): () => void {
    shown.set(this.#name, this);
    clearTimeout(this.#forgetting);
    this.#load = load;
    this.#watches.add(watch);
    const { everyMs, firstAfterMs = 0 } = watch;
    const { askedAt } = this.answer.peek();
    const ageMs = askedAt === null ? Number.POSITIVE_INFINITY : serverNow() - askedAt;
    this.#askWithin(Math.max(firstAfterMs, (everyMs ?? 0) - ageMs));
    return () => {
      this.#watches.delete(watch);
      if (this.#watches.size > 0) return;
      this.#stopTimer();
      this.#forgetLater();
    };
  }

  /** Asks the server again within this time; at once when nothing is said. */
  reload(withinMs = 0): void {
    if (this.#watches.size === 0) return;
    if (this.#request === null) this.#askWithin(withinMs);
    else this.#againWithinMs = Math.min(this.#againWithinMs, withinMs);
  }

  /** The tab was hidden, or is shown again. */
  noteVisibility(): void {
    if (document.hidden) this.#stopTimer();
    else if (this.#everyMs() !== null) this.#askWithin(0);
  }

  /** A tab that is opened in the background reads what it shows, once. */
  #askWithin(ms: number): void {
    if (this.#request !== null) return;
    if (document.hidden && this.answer.peek().askedAt !== null) return;
    if (ms <= 0) {
      void this.#ask();
      return;
    }
    const dueAt = Date.now() + ms;
    if (dueAt >= this.#dueAt) return;
    this.#stopTimer();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#ask(), ms);
  }

  async #ask(): Promise<void> {
    this.#stopTimer();
    const request = new AbortController();
    this.#request = request;
    this.#againWithinMs = Number.POSITIVE_INFINITY;
    const askedAt = serverNow();
    const outcome = await outcomeOf(this.#load!, request.signal);
    if (this.#request !== request) return;
    this.#request = null;
    if (outcome === null) return;
    this.answer.value = { ...this.answer.peek(), askedAt, ...outcome };
    const everyMs = this.#everyMs();
    const isPolled = everyMs !== null && outcome.error?.isMissing !== true;
    const nextMs = Math.min(this.#againWithinMs, isPolled ? everyMs : Number.POSITIVE_INFINITY);
    if (Number.isFinite(nextMs) && this.#watches.size > 0) this.#askWithin(nextMs);
  }

  /** As often as the panel wants it that wants it most often. */
  #everyMs(): number | null {
    const all = [...this.#watches].flatMap(({ everyMs }) => (everyMs === null ? [] : [everyMs]));
    return all.length === 0 ? null : Math.min(...all);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /** The next screen may show the same. */
  #forgetLater(): void {
    this.#forgetting = setTimeout(() => this.forget(), KEPT_MS);
  }

  forget(): void {
    clearTimeout(this.#forgetting);
    this.#stopTimer();
    this.#request?.abort();
    this.#request = null;
    this.answer.value = NOTHING;
    if (shown.get(this.#name) === this) shown.delete(this.#name);
  }
}

type Outcome<Value> =
  | { readonly value: Value; readonly error: null; readonly readAt: number }
  | { readonly error: ApiError };

/** Null when the panel went meanwhile. */
async function outcomeOf<Value>(
  load: Source<Value>["load"],
  gone: AbortSignal,
): Promise<Outcome<Value> | null> {
  try {
    const value = await load(gone);
    noteReached();
    return { value, error: null, readAt: serverNow() };
  } catch (error) {
    if (!(error instanceof ApiError)) return null;
    if (error.status === 0) noteUnreachable();
    else noteReached();
    return { error };
  }
}

document.addEventListener("visibilitychange", () => {
  for (const each of shown.values()) each.noteVisibility();
});

// Later, so that a screen of what is gone has been left by then.
whenChanged((action) =>
  setTimeout(() => {
    for (const [name, each] of shown) if (isChangedBy(action, name)) each.reload();
  }, 0),
);

whenSessionOver(() => {
  for (const [name, each] of shown) if (name.startsWith("/v2/")) each.forget();
});

const KEPT_MS = 1_000;
