/** The public credentials of `postrider dev`, which `POSTRIDER_DEV` chooses. */
import { environmentOf, type Environment } from "./runtime.ts";

const DEV = {
  POSTRIDER_TOKEN: "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=",
  POSTRIDER_CURRENT_SIGNING_KEY: "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r",
  POSTRIDER_NEXT_SIGNING_KEY: "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs",
} as const;

type Variable = keyof typeof DEV | "POSTRIDER_URL";

/**
 * A variable of the request's environment or of the process. With `POSTRIDER_DEV`, those that are not set
 * are those of `postrider dev`: at its usual address, or at the URL that is its value.
 */
export function variableOf(name: Variable, environment: Environment = {}): string | undefined {
  const given = (variable: string): string | undefined => {
    const value = environment[variable];
    return typeof value === "string" && value !== "" ? value : environmentOf(variable) || undefined;
  };
  const dev = given("POSTRIDER_DEV");
  const found = given(name);
  if (found !== undefined || dev === undefined || OFF.has(dev)) return found;
  if (name === "POSTRIDER_URL") return /^https?:/.test(dev) ? dev : undefined;
  // A receiver with a key of its own must not accept the public ones as well.
  const isKey = SIGNING_KEYS.includes(name);
  return isKey && SIGNING_KEYS.some((key) => given(key) !== undefined) ? undefined : DEV[name];
}

const SIGNING_KEYS: readonly string[] = [
  "POSTRIDER_CURRENT_SIGNING_KEY",
  "POSTRIDER_NEXT_SIGNING_KEY",
];
const OFF: ReadonlySet<string> = new Set(["0", "false"]);
