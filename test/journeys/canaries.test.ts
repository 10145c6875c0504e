/** Hidden values are in the deliveries that need them, and in no other byte that leaves the service. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { before, test } from "node:test";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { canary, isWrittenIn } from "../support/canaries.ts";
import { freshAccount } from "../support/console-call.ts";
import { type DestinationServer, textOf } from "../support/destination-server.ts";
import { type Journey, journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

/** A message with a secret in every field that can hold one. */
interface Letter {
  readonly name: string;
  readonly isHidden: boolean;
  readonly redact: string;
}

/** Every way in which a message comes in. */
const WAYS = ["publish", "enqueue", "batch", "group", "schedule"] as const;
type Way = (typeof WAYS)[number];
const SECRETS = ["body", "header", "callback", "failure"] as const;
const GROUP = "canary-group";
const QUEUE = "canary-queue";

/** Those that show things whole, and what came in by a way that they show. */
const SHOWING_ROUTES: Readonly<Record<string, Way>> = {
  "/v2/messages/{messageId}": "publish",
  "/v2/dlq/{dlqId}": "publish",
  "/v2/dlq": "publish",
  "/v2/logs": "publish",
  "/v2/events": "publish",
  "/v2/schedules": "schedule",
  "/v2/schedules/{scheduleId}": "schedule",
};

for (const prefix of ["Svc", "Upstash"]) {
  journeys(`canaries in ${prefix} headers`, {}, (journey) => {
    const letters = WAYS.flatMap((way) => lettersOf(way));
    const told: string[] = [];
    const answers: string[] = [];

    before(async () => {
      const { service, destination } = journey;
      destination.respond = () => ({ status: 500 });
      for (const letter of letters)
        answers.push(await SEND[wayOf(letter)](journey, prefix, letter));
      // The message, its callback and its failure callback: all of them die and are listed.
      await service.deadLettersUntil(letters.length * 3, "count=100");
    });

    test("deliveries carry the originals", async () => {
      const { destination } = journey;
      for (const letter of letters) {
        const [request] = await destination.received(`/secret/${letter.name}`);
        assert.equal(textOf(request), secretOf(letter, "body"));
        assert.equal(request.headers["x-key"], secretOf(letter, "header"));
        const reports = await destination.received(`/told/${letter.name}`, 2);
        const keys = reports.map(({ headers }) => headers["x-key"] ?? "").toSorted();
        assert.deepEqual(keys, [secretOf(letter, "callback"), secretOf(letter, "failure")]);
        told.push(...reports.map(({ body }) => body.toString()));
      }
    });

    test("no route shows what is hidden, and each shows what is not", async () => {
      const shown = await everythingShown(journey);
      const all = [...shown.values()].flat().join("\n");
      for (const letter of letters) requireHidden(all, letter, SECRETS);
      for (const [route, way] of Object.entries(SHOWING_ROUTES)) {
        const text = shown.get(route)?.join("\n") ?? "";
        const open = letters.find(({ name }) => name === `${way}-open`);
        for (const secret of SECRETS) {
          assert.ok(isWrittenIn(text, secretOf(open!, secret)), `${route} shows no ${secret}`);
        }
      }
    });

    test("the console shows no credentials, but to whom they are issued", async () => {
      const { service } = journey;
      const { id, token, as, record } = await freshAccount(service.url);
      const issued = [token, as[1], String(record["read_only_token"])];
      const shown: string[] = [];
      for (const { method, path } of CONSOLE_ROUTES) {
        if (method !== "GET") continue;
        const answer = await service.console("GET", path.replace("{id}", id));
        assert.equal(answer.status, 200, `${path} ${answer.text}`);
        shown.push(answer.text);
      }
      const all = [...shown, ...service.logged].join("\n");
      assert.ok(all.includes(id));
      for (const secret of [
        ...issued,
        ...issued.map(sha256),
        ...Object.values(service.credentials),
      ]) {
        assert.ok(secret.length > 8 && !isWrittenIn(all, secret));
      }
      for (const letter of letters) requireHidden(all, letter, SECRETS);
    });

    test("callbacks echo only what is not hidden", () => {
      const all = told.join("\n");
      assert.equal(told.length, letters.length * 2);
      for (const letter of letters) requireHidden(all, letter, SECRETS);
      const open = letters.filter(({ isHidden }) => !isHidden);
      for (const letter of open) assert.ok(isWrittenIn(all, secretOf(letter, "body")));
    });

    test("answers, refusals and the service's own log hold no secret at all", async () => {
      const { service, destination } = journey;
      const [letter] = letters;
      const headers = headersOf(prefix, destination, letter!);
      for (const mistake of mistakes(prefix)) {
        const path = `/v2/publish/${destination.url}/mistake`;
        const body = secretOf(letter!, "body");
        const refused = await service.call("POST", path, {
          headers: { ...headers, ...mistake },
          body,
        });
        assert.equal(refused.status, 400, JSON.stringify(mistake));
        answers.push(refused.text);
      }
      const all = [...answers, ...service.logged].join("\n");
      for (const each of letters) {
        for (const secret of SECRETS) {
          assert.ok(!isWrittenIn(all, secretOf(each, secret)), `${each.name} ${secret}`);
        }
      }
      const { token, readOnlyToken, currentSigningKey, nextSigningKey } = service.credentials;
      const log = service.logged.join("\n");
      for (const key of [token, readOnlyToken, currentSigningKey, nextSigningKey]) {
        assert.ok(key !== "" && !isWrittenIn(all, key) && !isWrittenIn(log, key));
      }
    });

    test("a dead letter that is sent again hides what it hid, whatever is asked anew", async () => {
      const { service, destination } = journey;
      const dead = await service.deadLetters("count=100");
      for (const letter of letters.filter(({ isHidden }) => isHidden)) {
        const path = `/secret/${letter.name}`;
        const found = dead.find(({ url }) => String(url).endsWith(path));
        const again = await service.call("POST", `/v2/dlq/retry/${String(found?.["dlqId"])}`, {
          headers: { [`${prefix}-Redact-Fields`]: "header[none]" },
        });
        const [, request] = await destination.received(path, 2);
        assert.equal(textOf(request), secretOf(letter, "body"));
        const [made] = (again.json["responses"] as Item[] | undefined) ?? [again.json];
        const shown = await service.call("GET", `/v2/messages/${String(made?.["messageId"])}`);
        assert.equal(shown.status, 200);
        requireHidden(shown.text, letter, SECRETS);
      }
    });
  });
}

function lettersOf(way: Way): Letter[] {
  return [
    { name: `${way}-all`, isHidden: true, redact: "body, headers" },
    { name: `${way}-named`, isHidden: true, redact: "header[X-KEY],body" },
    { name: `${way}-open`, isHidden: false, redact: "header[other]" },
  ];
}

function wayOf({ name }: Letter): Way {
  return WAYS.find((way) => name.startsWith(way))!;
}

function secretOf({ name }: Letter, secret: (typeof SECRETS)[number]): string {
  return canary(`${name}-${secret}`);
}

function sha256(text: string): string {
  return hash("sha256", text);
}

function requireHidden(text: string, letter: Letter, secrets: readonly (typeof SECRETS)[number][]) {
  if (!letter.isHidden) return;
  for (const secret of secrets) {
    assert.ok(!isWrittenIn(text, secretOf(letter, secret)), `${letter.name} ${secret}`);
  }
}

function headersOf(prefix: string, { url }: DestinationServer, letter: Letter) {
  return {
    [`${prefix}-Redact-Fields`]: letter.redact,
    [`${prefix}-Forward-X-Key`]: secretOf(letter, "header"),
    [`${prefix}-Retries`]: "0",
    [`${prefix}-Callback`]: `${url}/told/${letter.name}`,
    [`${prefix}-Callback-Forward-X-Key`]: secretOf(letter, "callback"),
    [`${prefix}-Failure-Callback`]: `${url}/told/${letter.name}`,
    [`${prefix}-Failure-Callback-Forward-X-Key`]: secretOf(letter, "failure"),
  };
}

type Send = (journey: Journey, prefix: string, letter: Letter) => Promise<string>;

/** Each answers what it was told. */
const SEND: Readonly<Record<Way, Send>> = {
  publish: (journey, prefix, letter) =>
    post(journey, `/v2/publish/${journey.destination.url}/secret/${letter.name}`, prefix, letter),
  enqueue: (journey, prefix, letter) =>
    post(
      journey,
      `/v2/enqueue/${QUEUE}/${journey.destination.url}/secret/${letter.name}`,
      prefix,
      letter,
    ),
  batch: async ({ service, destination }, prefix, letter) => {
    const item = {
      destination: `${destination.url}/secret/${letter.name}`,
      headers: headersOf(prefix, destination, letter),
      body: secretOf(letter, "body"),
    };
    return JSON.stringify(await service.batch([item]));
  },
  group: async (journey, prefix, letter) => {
    const { service, destination } = journey;
    const url = `${destination.url}/secret/${letter.name}`;
    await service.addEndpoints(`${GROUP}-${letter.name}`, url);
    return post(journey, `/v2/publish/${GROUP}-${letter.name}`, prefix, letter);
  },
  schedule: async ({ service, destination }, prefix, letter) => {
    const path = `/v2/schedules/${destination.url}/secret/${letter.name}`;
    const when = { [`${prefix}-Cron`]: "0 0 1 1 *", [`${prefix}-Schedule-Id`]: letter.name };
    const headers = { ...headersOf(prefix, destination, letter), ...when };
    const made = await service.call("POST", path, { headers, body: secretOf(letter, "body") });
    assert.equal(made.status, 200, made.text);
    const run = await service.call("POST", `/v2/schedules/${letter.name}/run`);
    assert.equal(run.status, 200, run.text);
    return made.text + run.text;
  },
};

async function post(
  { service, destination }: Journey,
  path: string,
  prefix: string,
  letter: Letter,
): Promise<string> {
  const headers = headersOf(prefix, destination, letter);
  const answer = await service.call("POST", path, { headers, body: secretOf(letter, "body") });
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

/** Requests that are refused, each for a header beside the secrets or for one that holds them. */
function mistakes(prefix: string): Record<string, string>[] {
  return [
    { [`${prefix}-Retries`]: "many" },
    { [`${prefix}-Delay`]: "soon" },
    { [`${prefix}-Redact-Fields`]: "bodies" },
    { [`${prefix}-Forward-Connection`]: canary("publish-all-header") },
    { [`${prefix}-Callback-Forward-Host`]: canary("publish-all-callback") },
    { [`${prefix}-Callback`]: "nowhere" },
  ];
}

/** What every route that reads answers, by its path, for every id that its parameter may be. */
async function everythingShown({ service }: Journey): Promise<Map<string, string[]>> {
  const letters = await service.deadLetters("count=100");
  const shown = new Map<string, string[]>();
  for (const { method, path, needs } of ROUTES) {
    // The live stream does not end; test/journeys/stream.test.ts holds it to the list.
    if (method !== "GET" || needs === "open" || path === "/v2/stream") continue;
    const [parameter, name] = /\{(\w+)[^}]*\}/.exec(path) ?? [];
    const targets =
      parameter === undefined
        ? [path]
        : idsFor(name!, letters).map((id) => path.replace(parameter, id));
    const answers = await Promise.all(targets.map((target) => service.call("GET", target)));
    shown.set(
      path,
      answers.map(({ text }) => text),
    );
  }
  return shown;
}

/** The ids of the kind that a parameter names; all there are when it names another. */
function idsFor(parameter: string, letters: readonly Item[]): string[] {
  const known = ["messageId", "dlqId", "topicName", "queueName", "scheduleId"];
  const names = known.includes(parameter) ? [parameter] : known;
  const ids = letters.flatMap((letter) => names.map((name) => letter[name]));
  return [...new Set(ids.filter((id) => id !== undefined).map(String))];
}
