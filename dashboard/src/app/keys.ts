/**
 * Single keys, and `g` followed by a letter. They are off while the user types or a dialog is open, and
 * can be turned off.
 */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { navigate } from "./router.ts";

export type KeyActions = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const NAME = "postrider.keys";
/** The newest part is asked first. */
const layers: { current: KeyActions }[] = [];
let isGoing = false;

export const areKeysOn = signal(localStorage.getItem(NAME) !== "off");

export function setKeysOn(isOn: boolean): void {
  areKeysOn.value = isOn;
  localStorage.setItem(NAME, isOn ? "on" : "off");
}

/** The keys of a part while it is shown: `j`, `Enter`, `Shift+X`, ` ` and so on. */
export function useKeys(actions: KeyActions): void {
  const layer = useRef(actions);
  layer.current = actions;
  useEffect(() => {
    layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, []);
}

const GOES: Readonly<Record<string, string>> = {
  o: "/",
  m: "/messages",
  r: "/runs",
  d: "/dead",
  s: "/schedules",
  f: "/flow",
  u: "/groups",
};

const MOVES: ReadonlySet<string> = new Set(["j", "k", "[", "]"]);

export function startKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    // An open dialog hears its keys itself, and what lies below it hears none.
    if (document.querySelector("dialog[open]") !== null) {
      isGoing = false;
      return;
    }
    const isEscape = event.key === "Escape";
    if (!isEscape && (!areKeysOn.value || isTyping(event) || isOnControl(event))) return;
    if (isGoing) {
      isGoing = false;
      const href = GOES[event.key];
      if (href !== undefined) navigate(href);
      return;
    }
    if (event.key === "g") {
      isGoing = true;
      setTimeout(() => (isGoing = false), 1_500);
      return;
    }
    const name =
      event.shiftKey && event.key.length === 1 && /[a-z]/i.test(event.key)
        ? `Shift+${event.key.toUpperCase()}`
        : event.key;
    const action = layers.findLast(({ current }) => current[name] !== undefined)?.current[name];
    if (action === undefined) return;
    event.preventDefault();
    // A held key moves on, and does nothing else again: least of all on the page that it opened.
    if (event.repeat && !MOVES.has(name)) return;
    action(event);
  });
}

function isTyping({ target }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  if (element instanceof HTMLInputElement) return element.type !== "checkbox";
  return element.matches?.("textarea, select, [contenteditable]") ?? false;
}

/** Space and Enter press what has the focus. */
function isOnControl({ key, target }: KeyboardEvent): boolean {
  if (key !== " " && key !== "Enter") return false;
  return (target as HTMLElement).matches?.("a, button, summary, input, [role=button]") ?? false;
}
