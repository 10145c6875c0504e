import type { Settings } from "../config/settings.ts";
import { CommandError } from "./command-error.ts";

/** The options of a command as they were given. */
export class Flags {
  readonly #given: Readonly<Record<string, unknown>>;

  constructor(given: Readonly<Record<string, unknown>>) {
    this.#given = given;
  }

  is(name: string): boolean {
    return this.#value(name) === true;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    return typeof value === "string" ? value : undefined;
  }

  /** Of an option that may be repeated; undefined if it is absent. */
  texts(name: string): readonly string[] | undefined {
    return this.#value(name) as readonly string[] | undefined;
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined || /^\d{1,15}$/.test(text))
      return text === undefined ? text : Number(text);
    throw new CommandError(`--${name} must be a whole number, but is ${JSON.stringify(text)}`);
  }

  /** A date, or how long ago: `1h`, `7d`. */
  instant(name: string, now: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const ago = /^(\d+)([smhd])$/.exec(text);
    if (ago !== null) return now - Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
    // Date.parse reads a month in any number: 10 would be October 2001.
    const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
    if (/^\d{13}$/.test(text)) return Number(text);
    if (!Number.isNaN(time)) return time;
    throw new CommandError(
      `--${name} must be a time such as 1h, 7d or 2026-01-31T09:00, but is ${JSON.stringify(text)}`,
    );
  }

  #value(name: string): unknown {
    return this.#given[name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())];
  }
}

/** What a command does that needs nothing but this machine. */
export type LocalHandler = (words: readonly string[], flags: Flags) => Promise<void>;
export type LocalHandlers = Readonly<Record<string, LocalHandler>>;

/** What a command does with the store that the settings name. */
export type StoreHandler = (settings: Settings, file: string, flags: Flags) => Promise<void> | void;
export type StoreHandlers = Readonly<Record<string, StoreHandler>>;

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
