import { OWN_CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { ROUTES } from "../../src/api/routes.ts";
import {
  environmentOf,
  flagOf,
  REMOVED_SETTINGS,
  type Setting,
  SETTINGS,
} from "../../src/config/settings.ts";
import { SETTINGS as MESSAGE_SETTINGS } from "../../src/core/model/message/settings.ts";
import { PROBLEMS } from "../../src/core/problem.ts";
import { HISTORY_VIEWS } from "../../src/store/records/history-views.ts";
import { PLANS } from "../../src/core/model/account/account.ts";
import { LIMITS } from "../../src/core/policy/limits/limit-table.ts";
import {
  LIMIT_FIELDS,
  NO_LIMIT,
  OWNER_OVERRIDES,
  shownLimit,
} from "../../src/core/policy/limits/limits.ts";
import { commandsPage } from "./commands-page.ts";
import { coverageRows } from "../rows/coverage-page.ts";
import { DELIVERY_HEADERS, RUN_HEADERS } from "../../src/delivery/http/outbound-request.ts";
import { HEADER_FAMILIES, type HeaderCall, HEADERS } from "../../src/wire/headers/header.ts";
import { WORKFLOW_HEADERS } from "../../src/wire/workflow/workflow-headers.ts";

/** The pages of docs/reference, made from the tables that the service itself goes by. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ["commands.md", commandsPage()],
    ["console.md", consoleEndpoints()],
    ["coverage.md", coverage()],
    ["endpoints.md", endpoints()],
    ["headers.md", headers()],
    ["limits.md", limits()],
    ["problems.md", problems()],
    ["settings.md", settings()],
    ["views.md", views()],
  ]);
}

function page(
  title: string,
  text: string,
  head: readonly string[],
  rows: readonly string[][],
  more: readonly string[] = [],
): string {
  const parts = [`# ${title}`, text, table(head, rows), ...more];
  return `${parts.join("\n\n")}\n\n\`npm run reference\` writes this page from the code.\n`;
}

function table(head: readonly string[], rows: readonly string[][]): string {
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function endpoints(): string {
  return page(
    "Endpoints",
    "`read` and `write` need a token in `Authorization: Bearer ...`; a read-only token may not `write`. `owner` needs the main token of the account, or a session begun with it or with the password. `open` needs none. Names in braces are parts of the path.",
    ["Method", "Path", "Needs", "What it does"],
    ROUTES.map(({ method, path, needs, says }) => [method, code(path), needs, says]),
  );
}

function consoleEndpoints(): string {
  return page(
    "Console endpoints",
    "All of them need Basic auth. `operator`: the name and password of the operator. `console`: those, or the `customer_id` and password of the account itself. The same paths work under `/v2/qstash`.",
    ["Method", "Path", "Needs", "What it does"],
    OWN_CONSOLE_ROUTES.map(({ method, path, needs, says }) => [method, code(path), needs, says]),
  );
}

function headers(): string {
  const text = [
    "Send each header with the prefix `Svc-` or `Upstash-`. Use one prefix in a request. A misspelled header is refused with the nearest one. URLs are UTF-8 or percent-encoded; labels, keys and ids are UTF-8 or Latin-1. You can send them as query parameters too, in lower case: `svc-retries=3`.",
    table(
      ["In this column", "Endpoint"],
      Object.entries(CALLS).map(([call, path]) => [call, code(path)]),
    ),
    "A batch reads the headers of publish or enqueue on each item. Resuming or restarting a failed run reads the headers of retry, and [ignores some](#settings-of-a-message).",
    "## Headers that you send",
  ].join("\n\n");
  const sent = [
    ...HEADERS.map(({ name, calls, says }) => [code(`Svc-${name}`), shownCalls(calls), says]),
    ...HEADER_FAMILIES.map(({ name, says }) => [code(`Svc-${name}`), "all", says]),
  ];
  const more = [
    "## Settings of a message",
    "A message, a run and a schedule have these. With a header you can change them when you retry a dead letter, or resume or restart a failed run.",
    settingTable(),
    "## Headers of workflows",
    "The SDKs send these. You need only the first one, and only if you choose the id of a run.",
    headerTable(WORKFLOW_HEADERS),
    "## Headers that arrive",
    "Every delivery carries these, with the prefix that the publisher used, or with both if it used none. [How to verify the signature](../guides/receiving.md#verify-the-signature).",
    headerTable(DELIVERY_HEADERS),
    "Deliveries of a workflow run carry these too, but not calls to third parties.",
    headerTable(RUN_HEADERS),
  ];
  return page("Headers", text, ["Header", "Read by", "What it does"], sent, more);
}

const codes = (names: readonly string[]): string => names.map(code).join(", ");

function settingTable(): string {
  return table(
    ["Headers", "Shown as", "Default", "On retry", "On resume and restart"],
    Object.values(MESSAGE_SETTINGS).map((row) => [
      codes(row.headers.map((name) => `Svc-${name}`)),
      row.members.length === 0 ? "not shown" : codes(row.members),
      row.default,
      row.onRetry === "adds" ? "hides more" : "replaced",
      row.onRerun === "ignores" ? "ignored" : "replaced",
    ]),
  );
}

const headerTable = (rows: readonly { readonly name: string; readonly says: string }[]): string =>
  table(
    ["Header", "What it says"],
    rows.map((row) => [code(`Svc-${row.name}`), row.says]),
  );

/** Where each call that reads headers is made; SDKs make the calls of steps. */
const CALLS: Readonly<Record<Exclude<HeaderCall, "step">, string>> = {
  publish: "POST /v2/publish/{destination}",
  enqueue: "POST /v2/enqueue/{queueName}/{destination}",
  schedule: "POST /v2/schedules/{destination}",
  trigger: "POST /v2/trigger/{workflowUrl}",
  retry: "POST /v2/dlq/retry/{dlqId}",
};

function shownCalls(calls: readonly HeaderCall[]): string {
  const known = (Object.keys(CALLS) as HeaderCall[]).filter((call) => calls.includes(call));
  const missing = Object.keys(CALLS).filter((call) => !calls.includes(call as HeaderCall));
  if (missing.length === 0) return "all";
  return missing.length === 1 ? `all but ${missing[0]}` : known.join(", ");
}

function limits(): string {
  const without = Object.keys(OWNER_OVERRIDES) as (keyof typeof OWNER_OVERRIDES)[];
  const none = without.map((field) => code(LIMITS[field].name)).join(", ");
  return page(
    "Limits",
    `What each plan allows, as the account record shows it. \`${NO_LIMIT}\` means no limit. You can override each limit for an account. The account created at first start and those of \`dev\` are on \`paid\`, without ${none}.`,
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
    "Each row of the interface specification, and the file whose test of the same name fails when the row is broken. `npm run mutants -- row` plants defects, one at a time, and expects those tests to fail.",
    ["Section", "About", "Row", "Test", "Defect planted"],
    coverageRows(),
  );
}

function problems(): string {
  return page(
    "Problems",
    'Every refusal is `{"error": "<sentence>", "code": "<code>"}` with one of these codes. `field` names the header, the parameter, or the part of the path or body that is wrong, `hint` says what may help, where there is one. Nothing was stored.',
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
    "Flags win over the environment, the environment wins over the config file, and that wins over the defaults. `dev` and `serve` refuse a variable that begins with `POSTRIDER_` and is none of these.",
    ["Flag", "Environment", "Default in dev", "Default in serve", "What it means"],
    Object.entries(SETTINGS as Readonly<Record<string, Setting<unknown>>>).map(([name, row]) => [
      row.isFlagless === true ? "" : code(`--${flagOf(name)}`),
      code(environmentOf(name)),
      shown(row.defaults.dev),
      shown(row.defaults.serve),
      row.says,
    ]),
    [
      "## Removed settings",
      "Where one is still given, the start logs a warning and ignores it.",
      table(
        ["Flag", "Environment", "How it is now"],
        Object.entries(REMOVED_SETTINGS).map(([name, { says }]) => [
          code(`--${flagOf(name)}`),
          code(environmentOf(name)),
          says,
        ]),
      ),
    ],
  );
}

function views(): string {
  const parts = HISTORY_VIEWS.map(({ name, says, columns }) => {
    const rows = columns.map((column) => [code(column.name), column.type, column.says]);
    return [`## ${name}`, says, table(["Column", "Type", "What it is"], rows)].join("\n\n");
  });
  const pieces = [
    "# Views",
    "SQL views over what the server stores, with the same columns in SQLite and PostgreSQL, for any SQL tool and for [`postrider query`](commands.md#query). [Examples](../guides/observing.md#query-the-history).",
    VIEW_NOTES.map((note) => `- ${note}`).join("\n"),
    ...parts,
    "`npm run reference` writes this page from the code.",
  ];
  return `${pieces.join("\n\n")}\n`;
}

const VIEW_NOTES = [
  "Times (`…_at`) are unix milliseconds, durations (`…_ms`) milliseconds. What does not exist is null.",
  "They show all accounts. They have no body and no header.",
  "History is kept as long as the log: see `retention` in [limits](limits.md).",
  "A new version may add columns at the end of a view. It does not remove or change one.",
];

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const code = (text: string): string => `\`${text}\``;
const shown = (text: string | undefined): string => (text ? code(text) : "");
