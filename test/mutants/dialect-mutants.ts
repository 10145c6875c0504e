import type { Mutant } from "./mutant.ts";

const JOURNEY = "test/journeys/dialects.test.ts";
const READING = "src/wire/message/publish.test.ts";

/** Defects of the headers that name a dialect, and of those that are almost ours. */
export const DIALECT_MUTANTS: readonly Mutant[] = [
  {
    name: "dialect: a delivery in both is signed for our receiver only",
    edits: [
      {
        within: "core/model/message/dialect.ts",
        find: 'issuer: "Upstash",\n    userAgent: "Postrider"',
        replace: 'issuer: "Svc",\n    userAgent: "Postrider"',
      },
    ],
    suites: [JOURNEY],
    only: "sqlite",
  },
  {
    name: "dialect: telemetry wins over the headers of a group",
    edits: [
      {
        within: "wire/headers/header-reading.ts",
        find: "  reading.dialect ??= batchDialect?.dialect ?? null;",
        replace: "  reading.dialect ??= batchDialect?.dialect ?? reading.telemetryDialect ?? null;",
      },
    ],
    suites: [READING],
  },
  {
    name: "dialect: the headers of a batch count for nothing",
    edits: [
      {
        within: "wire/headers/header-reading.ts",
        find: "  reading.dialect ??= batchDialect?.dialect ?? null;\n",
        replace: "",
      },
    ],
    suites: [READING],
  },
  {
    name: "dialect: the choice of an account counts for nothing",
    edits: [
      {
        within: "operations/context.ts",
        find: "return account.dialect ?? dialect;",
        replace: "return dialect;",
      },
    ],
    suites: [JOURNEY],
    only: "sqlite",
  },
  {
    name: "dialect: a passed-back hop count is lost to a smaller one",
    edits: [
      {
        within: "wire/headers/header.ts",
        find: "draft.hops = Math.max(hops, draft.hops ?? 0);",
        replace: "draft.hops = hops;",
      },
    ],
    suites: [READING],
  },
  {
    name: "dialect: a URL in a header is read as Latin-1",
    edits: [
      {
        within: "wire/headers/header-reading.ts",
        find: "cleanUrl(urlTextOf(value))",
        replace: "cleanUrl(value)",
      },
    ],
    suites: ["test/journeys/url-encodings.test.ts"],
    only: "sqlite",
  },
  {
    name: "dialect: headers of browsers are taken for misspelled ones of ours",
    edits: [
      {
        within: "wire/headers/misspelled-header.ts",
        find: '  if (word === "sec") return null;\n',
        replace: "",
      },
    ],
    suites: ["src/wire/headers/misspelled-header.test.ts"],
  },
];
