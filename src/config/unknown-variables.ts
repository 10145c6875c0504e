import { nearestName } from "../core/nearest-name.ts";
import { isOfKubernetes } from "./kubernetes-variables.ts";
import { SettingError } from "./read-settings.ts";
import { REMOVED_SETTINGS } from "./removed-settings.ts";
import { ENVIRONMENT_PREFIX, environmentOf, SETTINGS } from "./settings.ts";

/** Refuses a variable that looks like a setting and is none: a mistyped name would be ignored silently. */
export function refuseUnknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): void {
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(ENVIRONMENT_PREFIX) || text === undefined || text === "") continue;
    if (KNOWN.has(name) || REMOVED.has(name) || isOfKubernetes(name, text)) continue;
    const nearest = nearestName(name, KNOWN);
    const hint = nearest === undefined ? "see postrider serve --help" : `did you mean ${nearest}?`;
    throw new SettingError(`${name} in the environment is not a setting; ${hint}`);
  }
}

/** Read by the command line, by clients of `@postrider/sdk` and by the tests. */
const OTHER_VARIABLES = ["CONFIG", "URL", "HISTORIES", "SEED"];
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(SETTINGS).map(environmentOf),
  ...OTHER_VARIABLES.map((name) => `${ENVIRONMENT_PREFIX}${name}`),
]);
const REMOVED: ReadonlySet<string> = new Set(Object.keys(REMOVED_SETTINGS).map(environmentOf));
