import type { Mutant } from "./mutant.ts";

const SESSIONS = "test/journeys/sessions.test.ts";

/** Defects of sessions, sign-ins, tokens and of who may read what. */
export const SESSION_MUTANTS: readonly Mutant[] = [
  {
    name: "sessions: a page of the host on another port may use them",
    edits: [
      {
        within: "api/http/callers/session-cookie.ts",
        find: "return page.host === hostOf(host);",
        replace: "return page.hostname === URL.parse(`http://${host}`)?.hostname;",
      },
    ],
    suites: [SESSIONS],
    only: "sqlite",
  },
  {
    name: "sessions: a page of the public host over http may use them",
    edits: [
      {
        within: "api/http/callers/session-cookie.ts",
        find: `return known.proto === "http" || page.protocol === "https:";`,
        replace: "return true;",
      },
    ],
    suites: [SESSIONS],
    only: "behind a proxy",
  },
  {
    name: "sessions: they never end",
    edits: [
      {
        within: "operations/account/sessions.ts",
        find: "if (leftMs <= 0) return null;",
        replace: "",
      },
    ],
    suites: ["src/operations/account/sessions.test.ts"],
  },
  {
    name: "sessions: one is renewed with its old end",
    edits: [
      {
        within: "operations/account/sessions.ts",
        find: "const renew = (): string => this.#seal(session);",
        replace:
          "const renew = (): string => this.#options.secretBox.seal(JSON.stringify(kept), SEALED_FOR);",
      },
    ],
    suites: ["src/operations/account/sessions.test.ts"],
  },
  {
    name: "sessions: of two cookies the first wins",
    edits: [
      {
        within: "api/http/callers/session-cookie.ts",
        find: "if (other !== undefined) throw tooManySessions();",
        replace: "void other;",
      },
    ],
    suites: [SESSIONS],
    only: "sqlite",
  },
  {
    name: "sessions: under https the cookie of any subdomain is taken",
    edits: [
      {
        within: "api/http/callers/session-cookie.ts",
        find: "return isOverTls ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE;",
        replace: "return isOverTls ? SESSION_COOKIE : SESSION_COOKIE;",
      },
    ],
    suites: [SESSIONS],
    only: "under https",
  },
  {
    name: "sessions: the operator signs in at the public port",
    edits: [
      {
        within: "operations/account/logins.ts",
        find: "admitsOperator ? await this.#signInOperator(given, source) : null;",
        replace: "admitsOperator !== null ? await this.#signInOperator(given, source) : null;",
      },
    ],
    suites: ["test/journeys/console-guard.test.ts"],
    only: "console port alone",
  },
  {
    name: "sign-in: one that is good lifts the limit for other addresses",
    edits: [
      {
        within: "operations/account/sign-in-guard.ts",
        find: "const pair = JSON.stringify([address, name]);",
        replace: "const pair = JSON.stringify([name]);",
      },
    ],
    suites: ["src/operations/account/sign-in-guard.test.ts"],
  },
  {
    name: "streams: one that is refused keeps its place",
    edits: [
      {
        within: "operations/message/log-streams.ts",
        find: "this.#leave(shared);\n      throw tooMany(account);",
        replace: "throw tooMany(account);",
      },
    ],
    suites: ["src/operations/message/log-streams.test.ts"],
  },
  {
    name: "streams: a busy one outlives its token",
    edits: [
      {
        within: "api/message/stream.ts",
        find: "const batch = waitMs > 0 ? await stream.next(waitMs) : null;",
        replace: "const batch = await stream.next(Math.max(IDENTIFY_MS, waitMs));",
      },
      {
        within: "api/message/stream.ts",
        find: "if (clock.monotonic() < identifyAt) continue;",
        replace: "if (batch !== null) continue;",
      },
    ],
    suites: ["test/journeys/stream.test.ts"],
    only: "sqlite.*never idle",
  },
  {
    name: "metrics: some forwarding headers leave a caller local",
    edits: [
      {
        within: "api/http/pages/metrics.ts",
        find: `name.startsWith("x-forwarded") || FORWARDING.has(name)`,
        replace: `name.startsWith("x-forwarded-for") || FORWARDING.has(name)`,
      },
    ],
    suites: ["test/journeys/metrics.test.ts"],
    only: "sqlite.*behind a proxy",
  },
  {
    name: "metrics: any Host is answered",
    edits: [
      {
        within: "api/http/pages/metrics.ts",
        find: "return host !== undefined && isLoopbackHost(host);",
        replace: "return host !== undefined;",
      },
    ],
    suites: ["test/journeys/metrics.test.ts"],
    only: "names of this machine",
  },
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
    name: "answers: streams of an account may be stored by caches",
    edits: [
      {
        within: "api/http/answers/answer.ts",
        find: "const common = isPublic ? [] : PRIVATE;",
        replace: `const common = isPublic || typeof body !== "string" ? [] : PRIVATE;`,
      },
    ],
    suites: ["test/journeys/private-answers.test.ts"],
    only: "sqlite",
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
