import type { Mutant } from "./mutant.ts";

/** Defects of sessions, sign-ins, tokens and of who may read what. */
export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: "tokens: a named one manages tokens and signing keys",
    edits: [
      {
        within: "api/http/callers/authenticate.ts",
        find: `if (needs === "owner" && !access.isOwner) throw notOwner();`,
        replace: `if (needs === "owner" && access.isReadOnly) throw notOwner();`,
      },
    ],
    suites: ["test/journeys/tokens.test.ts"],
    only: "sqlite",
  },
  {
    name: "tokens: a read-only one sees what lets a run continue",
    edits: [
      {
        within: "api/http/server/handle.ts",
        find: "return access.isReadOnly ? withHooksHidden(answer) : answer;",
        replace: "return access.isReadOnly === null ? withHooksHidden(answer) : answer;",
      },
    ],
    suites: ["test/journeys/read-only-webhooks.test.ts"],
    only: "sqlite",
  },
  {
    name: "tokens: a secret that is cut by a piece is not hidden",
    edits: [
      {
        within: "api/http/answers/hidden-hooks.ts",
        find: "const KEPT_CHARACTERS = 4 * 1024;",
        replace: "const KEPT_CHARACTERS = 4;",
      },
    ],
    suites: ["src/api/http/answers/hidden-hooks.test.ts"],
  },
  {
    name: "serve: the operator's password of dev is taken",
    edits: [
      {
        within: "operations/account/public-credentials.ts",
        find: "if (adminPassword === SETTINGS.adminPassword.defaults.dev)",
        replace: "if (adminPassword === null)",
      },
    ],
    suites: ["test/journeys/public-credentials.test.ts"],
    only: "operator",
  },
];
