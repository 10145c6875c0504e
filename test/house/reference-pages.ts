import { OWN_CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { environmentOf, flagOf, type Setting, SETTINGS } from "../../src/config/settings.ts";
import { PROBLEMS } from "../../src/core/problem.ts";
import { PLANS } from "../../src/core/model/account/account.ts";
import { LIMITS } from "../../src/core/policy/limits/limit-table.ts";
import {
  LIMIT_FIELDS,
  NO_LIMIT,
  OWNER_OVERRIDES,
  shownLimit,
} from "../../src/core/policy/limits/limits.ts";
import { coverageRows } from "../rows/coverage-page.ts";
import { HEADER_FAMILIES, type HeaderCall, HEADERS } from "../../src/wire/headers/header.ts";

/** The pages of docs/reference, made from the tables that the service itself goes by. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ["console.md", consoleEndpoints()],
    ["coverage.md", coverage()],
    ["endpoints.md", endpoints()],
    ["headers.md", headers()],
    ["limits.md", limits()],
    ["problems.md", problems()],
    ["settings.md", settings()],
  ]);
}

function page(
  title: string,
  text: string,
  head: readonly string[],
  rows: readonly string[][],
): string {
  const table = [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
  return `# ${title}\n\n${text}\n\n${table}\n\nThis page is made from the code by \`npm run reference\`.\n`;
}

function endpoints(): string {
  return page(
    "Endpoints",
    "`read` and `write` need a token; a read-only token may not `write`. Names in braces are parts of the path.",
    ["Method", "Path", "Needs", "What it does"],
    ROUTES.map(({ method, path, needs, says }) => [method, code(path), needs, says]),
  );
}

function consoleEndpoints(): string {
  return page(
    "Console endpoints",
    "They need Basic auth: `operator` the operator's name and password, `console` those or an account's own `customer_id` and password. The same paths are served under `/v2/qstash`.",
    ["Method", "Path", "Needs", "What it does"],
    OWN_CONSOLE_ROUTES.map(({ method, path, needs, says }) => [method, code(path), needs, says]),
  );
}

function headers(): string {
  return page(
    "Headers",
    "Each has the prefix `Svc-` or `Upstash-`, never both in one request. As query parameters they are written in lower case: `svc-retries=3`.",
    ["Header", "Accepted by", "What it means"],
    [
      ...HEADERS.map(({ name, calls, says }) => [
        code(`Svc-${name}`),
        calls.filter((call) => OFFERED_CALLS.includes(call)).join(", "),
        says,
      ]).filter(([, calls]) => calls !== ""),
      ...HEADER_FAMILIES.map(({ name, says }) => [code(`Svc-${name}`), "publish", says]),
    ],
  );
}

function limits(): string {
  const without = Object.keys(OWNER_OVERRIDES) as (keyof typeof OWNER_OVERRIDES)[];
  const none = without.map((field) => code(LIMITS[field].name)).join(", ");
  return page(
    "Limits",
    `What each plan allows, as the account record shows it; \`${NO_LIMIT}\` stands for no limit. An account can have a value of its own for each. The account made at first start and those of \`dev\` are \`paid\`, without ${none}.`,
    ["Limit", ...PLANS, "What it means"],
    LIMIT_FIELDS.map((field) => {
      const { name, values, says } = LIMITS[field];
      return [code(name), ...values.map((value) => String(shownLimit(field, value))), says];
    }),
  );
}

function coverage(): string {
  return page(
    "Coverage",
    "Each row of the interface specification, and the file whose test of the same name fails when the row is broken. `npm run mutants -- row` plants defects, one at a time, and demands that those tests notice.",
    ["Section", "About", "Row", "Test", "Defect planted"],
    coverageRows(),
  );
}

function problems(): string {
  return page(
    "Problems",
    'Every refusal is `{"error": "<sentence>", "code": "<code>"}` with one of these codes, and with a `field` when it is about one and a `hint` where there is one. Nothing was stored.',
    ["Code", "Status", "When", "Hint"],
    Object.entries(PROBLEMS).map(([name, row]) => [
      code(name),
      String(row.status),
      row.says,
      "hint" in row ? row.hint : "",
    ]),
  );
}

function settings(): string {
  return page(
    "Settings",
    "Flags win over the environment, the environment over the config file, and that over the defaults.",
    ["Flag", "Environment", "Default in dev", "Default in serve", "What it means"],
    Object.entries(SETTINGS as Readonly<Record<string, Setting<unknown>>>).map(([name, row]) => [
      row.isFlagless === true ? "" : code(`--${flagOf(name)}`),
      code(environmentOf(name)),
      shown(row.defaults.dev),
      shown(row.defaults.serve),
      row.says,
    ]),
  );
}

/** The calls that have an endpoint today; the header table already knows the others. */
const OFFERED_CALLS: readonly HeaderCall[] = ["publish", "retry"];

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const code = (text: string): string => `\`${text}\``;
const shown = (text: string | undefined): string => (text ? code(text) : "");
