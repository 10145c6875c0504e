/** The URL is the state of a screen: its path chooses the screen, its query is the filter, its hash a part of it. */
import { signal } from "@preact/signals";

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
  /** A part of the screen. */
  readonly hash: string;
}

export const place = signal<Place>(readPlace());

function readPlace(): Place {
  const { pathname, search, hash } = window.location;
  return {
    path: pathname.replace(/(.)\/$/, "$1"),
    query: new URLSearchParams(search),
    hash: hash.slice(1),
  };
}

export function navigate(href: string, how: "push" | "replace" = "push"): void {
  const from = place.value.path;
  history.replaceState({ ...(history.state as object | null), scrollY: window.scrollY }, "");
  if (how === "push") history.pushState(null, "", href);
  else history.replaceState(history.state, "", href);
  place.value = readPlace();
  if (place.value.path !== from) arrive(0);
}

/** Sets or removes parts of the query, and keeps the rest. A filter is not a step back in the history. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  const { path, hash } = place.value;
  const end = hash === "" ? "" : `#${hash}`;
  navigate(`${path}${text === "" ? "" : `?${text}`}${end}`, "replace");
}

/** The heading of the new screen gets the focus, so that a screen reader says where one is. */
function arrive(scrollY: number): void {
  requestAnimationFrame(() => {
    window.scrollTo(0, scrollY);
    document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  });
}

export function startRouter(): void {
  history.scrollRestoration = "manual";
  window.addEventListener("popstate", (event) => {
    const from = place.value.path;
    place.value = readPlace();
    const { scrollY } = (event.state ?? {}) as { scrollY?: number };
    if (place.value.path !== from) arrive(scrollY ?? 0);
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || hasModifier(event)) return;
    const link = (event.target as Element).closest?.("a");
    if (link === null || link === undefined || link.target !== "" || link.hasAttribute("download"))
      return;
    const { origin, pathname, search, hash } = new URL(link.href);
    if (origin !== window.location.origin || isServed(pathname)) return;
    event.preventDefault();
    navigate(`${pathname}${search}${hash}`);
  });
}

function hasModifier(event: MouseEvent): boolean {
  return event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
}

/** What the server answers by itself. */
function isServed(path: string): boolean {
  return /^\/(v2|assets|echo|metrics|healthz|readyz|openapi\.json)(\/|$)/.test(path);
}
