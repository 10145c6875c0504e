/** The icons of index.html, by name. */
export type IconName =
  | "overview"
  | "message"
  | "runs"
  | "dlq"
  | "clock"
  | "flow"
  | "groups"
  | "settings"
  | "users"
  | "theme"
  | "search"
  | "pause"
  | "play"
  | "retry"
  | "copy"
  | "trash"
  | "right"
  | "down"
  | "check"
  | "x"
  | "plus"
  | "minus"
  | "alert"
  | "ring"
  | "disc"
  | "sleep"
  | "event"
  | "child"
  | "more"
  | "pin"
  | "key"
  | "node"
  | "edit"
  | "code"
  | "globe"
  | "queue"
  | "gauge"
  | "unplug"
  | "lock"
  | "terminal"
  | "flag";

export function Icon({
  name,
  class: extra,
}: {
  readonly name: IconName;
  readonly class?: string | undefined;
}) {
  return (
    <svg class={extra === undefined ? "i" : `i ${extra}`} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg aria-hidden="true">
      <use href="#mark" />
    </svg>
  );
}
