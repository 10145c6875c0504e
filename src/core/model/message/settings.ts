import type { Callback, DeliverySettings, Settings, Message } from "./message.ts";
import type { Given, GivenSettings } from "./publish-options.ts";

/** One setting: how it is given, shown and changed. */
interface SettingRow {
  /** The headers that set it, without the prefix. */
  readonly headers: readonly string[];
  /** The members that show it in a message; a secret has none. */
  readonly members: readonly string[];
  readonly default: string;
  /** What a retry of a dead letter does with a new value. */
  readonly onRetry: "replaces" | "adds";
  /** The same for a run that is resumed or restarted. */
  readonly onRerun: "replaces" | "ignores";
}

/** Every setting of a message, a run or a schedule. */
export const SETTINGS = {
  timeoutMs: row(["Timeout"], ["timeout"], "the timeout of the plan", { onRerun: "ignores" }),
  retries: row(["Retries"], ["maxRetries"], "`default_retries` of the plan; 3 in a run"),
  retryDelay: row(["Retry-Delay"], ["retryDelayExpression"], "the default backoff"),
  flowControl: row(
    ["Flow-Control-Key", "Flow-Control-Value"],
    ["flowControlKey", "parallelism", "rate", "period"],
    "none",
  ),
  callback: row(["Callback", "Callback-*"], ["callback", "callbackHeader"], "none", {
    onRerun: "ignores",
  }),
  failureCallback: row(
    ["Failure-Callback", "Failure-Callback-*"],
    ["failureCallback", "failureCallbackHeader"],
    "none; in a run its failure function",
  ),
  labels: row(["Label"], ["label", "labels"], "none"),
  redact: row(["Redact-Fields"], [], "nothing is hidden", { onRetry: "adds", onRerun: "ignores" }),
} satisfies Record<keyof Settings, SettingRow>;

/** A new value replaces the one before, unless the row says otherwise. */
function row<const Headers extends readonly string[]>(
  headers: Headers,
  members: readonly string[],
  otherwise: string,
  changes: Partial<Pick<SettingRow, "onRetry" | "onRerun">> = {},
): SettingRow & { readonly headers: Headers } {
  const replaces = { onRetry: "replaces", onRerun: "replaces" } as const;
  return { headers, members, default: otherwise, ...replaces, ...changes };
}

/** The settings, with those that are given in their place where a retry or a rerun allows it. */
export function changedSettings<All extends GivenSettings>(
  before: All,
  given: Given<All>,
  by: "onRetry" | "onRerun",
): All {
  const replaced = Object.entries(given).filter(
    ([name, value]) => value !== undefined && SETTINGS[name as keyof Settings][by] === "replaces",
  );
  return { ...before, ...Object.fromEntries(replaced) };
}

/** Anything that carries settings, as it is stored: they lie beside its other members. */
type Flat<Holder extends HasSettings> = Omit<Holder, "settings"> & Holder["settings"];

interface HasSettings {
  readonly settings: GivenSettings;
}

export function flat<Holder extends HasSettings>(holder: Holder): Flat<Holder> {
  const { timeoutMs, retries, retryDelay, flowControl, labels, redact } = holder.settings;
  const { callback, failureCallback } = holder.settings;
  // One by one, since every publish does this, and to spread a second value takes longer.
  return {
    ...holder,
    settings: undefined,
    timeoutMs,
    retries,
    retryDelay,
    flowControl,
    callback,
    failureCallback,
    labels,
    redact,
  };
}

/** A callback, which is stored flat. */
export type CallbackRequest = Omit<Callback, keyof DeliverySettings> & {
  readonly settings: DeliverySettings;
};

/** The opposite of `flat`. What is stored inside something else has the type of its holder. */
export function nested<Holder extends HasSettings>(stored: Flat<Holder> | Holder): Holder {
  const settings: Record<string, unknown> = {};
  const holder: Record<string, unknown> = { settings };
  const values = stored as unknown as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(values)) {
    (SETTING_NAMES.has(name) ? settings : holder)[name] = values[name];
  }
  return holder as unknown as Holder;
}

const SETTING_NAMES: ReadonlySet<string> = new Set(Object.keys(SETTINGS));

/** A message as stored: encoded once, when the message is created. */
export function encodeFacts(message: Message): string {
  return JSON.stringify(flat(message));
}

export function decodeFacts(text: string): Message {
  return nested(JSON.parse(text) as Message);
}
