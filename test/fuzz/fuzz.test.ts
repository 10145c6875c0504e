/** Hostile requests on every route of the OpenAPI document: all are answered, and none breaks the service. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_LIMIT } from "../../src/core/policy/limits/limits.ts";
import type { OpenApi } from "../../src/api/reference/document.ts";
import { Chance } from "../simulation/chance.ts";
import {
  ADMIN,
  basic,
  callConsole,
  type FreshAccount,
  freshAccount,
} from "../support/console-call.ts";
import { call } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import {
  type HostileRequest,
  hostileRequest,
  type Known,
  type Target,
  targetsOf,
} from "./hostile-request.ts";
import { type RawAnswer, rawAnswers } from "./raw-answers.ts";

/** Over both stores; `npm run prove` sends 200,000. */
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 10_000);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const AT_ONCE = 8;
/** After so many requests the account is looked at: one of them may have suspended it or rotated its token. */
const ROUND = 200;

/** It is answered when every node has stopped starting deliveries, so it is called in one round of many. */
const SLOW_PATH = "/v2/svc/pause";
const SLOW_ROUNDS = 10;

journeys("hostile requests", {}, (journey) => {
  test(`${REQUESTS / 2} requests, seed ${SEED}`, async () => {
    const { url } = journey.service;
    const document = (await call(url, "GET", "/openapi.json")).json as unknown as OpenApi;
    const fuzz = new Fuzz(url, document);
    for (let from = 0; from < REQUESTS / 2; from += ROUND) {
      await fuzz.round(SEED * REQUESTS + from, Math.min(ROUND, REQUESTS / 2 - from));
    }
    assert.deepEqual(
      fuzz.notReached(),
      [],
      "operations whose every request was refused at the door",
    );
    assert.equal((await call(url, "GET", "/readyz")).status, 200);
    const unexpected = journey.service.logged.filter((line) => line.includes("unexpected error"));
    assert.deepEqual(unexpected, []);
  });
});

class Fuzz {
  readonly #url: string;
  readonly #document: OpenApi;
  readonly #targets: readonly Target[];
  readonly #statuses = new Map<Target, Set<number>>();
  #names: string[] = [];
  #account: FreshAccount | null = null;
  #session: string | null = null;

  constructor(url: string, document: OpenApi) {
    this.#url = url;
    this.#document = document;
    this.#targets = targetsOf(document);
  }

  async round(seed: number, count: number): Promise<void> {
    const known = await this.#known();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        const index = seed + next++;
        const chance = new Chance(index);
        const target = this.#targetOf(index);
        const request = hostileRequest(this.#document, target, known, chance);
        const answers = await rawAnswers(this.#url, request.bytes, request.isCut).catch(
          (error: unknown) => assert.fail(`${String(error)}: ${shown(request)}`),
        );
        this.#judge(request, answers);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  #targetOf(index: number): Target {
    const targets = this.#targets;
    const target = targets[index % targets.length]!;
    const round = Math.floor(index / targets.length);
    const isPassedBy = target.path === SLOW_PATH && round % SLOW_ROUNDS !== 0;
    return isPassedBy ? targets[(index + 1) % targets.length]! : target;
  }

  /** Operations that never got past the check of credentials. */
  notReached(): string[] {
    return this.#targets
      .filter((target) => {
        const seen = [...(this.#statuses.get(target) ?? [])];
        const isOpen = target.operation.security.length === 0;
        return seen.every((status) => !isOpen && (status === 401 || status === 403));
      })
      .map(({ method, path }) => `${method} ${path}`);
  }

  #judge(request: HostileRequest, answers: readonly RawAnswer[]): void {
    const [answer, ...more] = answers;
    if (answer === undefined) {
      assert.ok(request.isCut, `no answer: ${shown(request)}`);
      return;
    }
    assert.deepEqual(more, [], `more than one answer: ${shown(request)}`);
    requireFit(request, answer);
    const statuses = this.#statuses.get(request.target) ?? new Set();
    this.#statuses.set(request.target, statuses.add(answer.status));
    if (answer.status < 300) this.#learn(answer.body);
  }

  #learn(body: string): void {
    const found = Array.from(body.matchAll(NAMES), (match) => match[1]!);
    this.#names = [...found.slice(0, 20), ...this.#names].slice(0, 300);
  }

  /** Each check of a password takes long on purpose, so most calls have a session. */
  async #operator(): Promise<string> {
    if (this.#session !== null) return this.#session;
    const [name, password] = ADMIN;
    const answer = await call(this.#url, "POST", "/v2/session", {
      body: JSON.stringify({ name, password }),
      headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" },
    });
    assert.equal(answer.status, 200, answer.text);
    const cookie = String(answer.headers["set-cookie"]).split(";")[0];
    this.#session = `Cookie: ${cookie}\r\nSec-Fetch-Site: same-origin`;
    return this.#session;
  }

  async #known(): Promise<Known> {
    if (this.#account === null || (await this.#account.status("GET", "/v2/logs")) !== 200) {
      this.#account = await freshAccount(this.#url);
      const path = `/v2/svc/update-limits/${this.#account.id}`;
      await callConsole(this.#url, "PATCH", path, { send: { max_requests_per_second: NO_LIMIT } });
    }
    // A paused service would leave much unreached.
    await callConsole(this.#url, "POST", "/v2/svc/resume");
    const { token, as, record } = this.#account;
    const tokens = [token, token, token, String(record["read_only_token"])];
    return {
      credentials: {
        token: tokens.map((text) => `Authorization: Bearer ${text}`),
        console: [`Authorization: ${basic(as)}`, ...Array<string>(7).fill(await this.#operator())],
      },
      names: [...this.#names, this.#account.id],
    };
  }
}

function requireFit(request: HostileRequest, { status, headers, body }: RawAnswer): void {
  const what = `${status} ${body.slice(0, 300)}: ${shown(request)}`;
  // The echo plays a destination, which answers with any status that it is asked for.
  if (request.target.path.startsWith("/echo") && body.startsWith('{"echo":')) return;
  if (status >= 500) {
    assert.ok(status === 503 || status === 507, what);
    assert.match(headers["retry-after"] ?? "", /^\d+$/, what);
  }
  if (status < 400 || request.method === "HEAD") return;
  assert.equal(headers["content-type"], "application/json", what);
  const { error, field } = JSON.parse(body) as { error?: unknown; field?: unknown };
  assert.ok(typeof error === "string" && error !== "", what);
  assert.ok(error.length <= SENTENCE_MAX, what);
  if (![400, 404, 413, 422].includes(status)) return;
  assert.ok(typeof field === "string" || OF_NO_FIELD.includes(error), what);
}

function shown({ bytes }: HostileRequest): string {
  return JSON.stringify(bytes.subarray(0, 1_500).toString("latin1"));
}

/** A refusal repeats no more of the request than helps its reader. */
const SENTENCE_MAX = 600;
/** Refusals of a request as a whole, or of several fields. */
const OF_NO_FIELD: readonly string[] = [
  "this path is not served here; /docs lists those that are",
  "the request is not valid HTTP/1.1",
  "the query has a value without a name",
  "parallelism or rate must be given",
];

/** Members of answers whose values name something that later requests may ask for. */
const NAMES =
  /"(?:messageId|scheduleId|dlqId|workflowRunId|name|queueName|flowControlKey|eventId|id|cursor)":"([^"\\]{1,200})"/g;
