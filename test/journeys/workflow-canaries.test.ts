/** What a run is told to hide is in its deliveries, and in no other byte that leaves the service. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { ROUTES } from "../../src/api/routes.ts";
import { canary, isWrittenIn } from "../support/canaries.ts";
import { type SdkJourney, sdkJourneys } from "../support/sdk-journeys.ts";

/** A run with a secret in everything that it is given, does and returns. */
interface Secretive {
  readonly name: string;
  readonly isHidden: boolean;
  readonly redact: string;
}

const RUNS: readonly Secretive[] = [
  { name: "all", isHidden: true, redact: "body, headers" },
  { name: "named", isHidden: true, redact: "header[X-KEY],body" },
  { name: "open", isHidden: false, redact: "header[other]" },
];

const SECRETS = [
  "payload",
  "header",
  "result",
  "call-body",
  "call-header",
  "call-answer",
  "event",
  "child-payload",
  "child-header",
  "child-result",
  "returned",
] as const;

/** Endpoints of runs under way need them as they are. */
const DELIVERING = "/v2/workflows/runs/{workflowRunId...}";
/** The live stream does not end; test/journeys/stream.test.ts holds it to the list. */
const NOT_ASKED = [DELIVERING, "/v2/stream"];

/** What shows a run whole when nothing is hidden. */
const SHOWING = ["/v2/workflows/logs?trimBody=100000", "/v2/workflows/events"];

sdkJourneys("canaries in runs", {}, (journey) => {
  const told: string[] = [];
  const runIds: string[] = [];

  before(async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({
      body: canary(`${url.split("/").at(-1)}-call-answer`),
    });
    const child = journey.serve<string>("/child", async (context) => {
      const name = context.payload.split("-")[1]!;
      return context.run("child result", () => canary(`${name}-child-result`));
    });
    const url = journey.serve<string>("/secretive", async (context) => {
      const name = context.payload.split("-")[1]!;
      const secret = (what: string): string => canary(`${name}-${what}`);
      assert.equal(context.headers.get("x-key"), secret("header"));
      await context.run("result", () => secret("result"));
      await context.call("call", {
        url: `${destination.url}/called/${name}`,
        method: "POST",
        body: secret("call-body"),
        headers: { "X-Key": secret("call-header") },
      });
      await context.waitForEvent("wait", `event-${name}`);
      const headers = { "X-Key": secret("child-header") };
      const body = secret("child-payload");
      await context.invoke("invoke", { url: child, body, headers });
      return secret("returned");
    });
    for (const { name, redact } of RUNS) {
      const answer = await service.call("POST", `/v2/trigger/${url}`, {
        headers: {
          "Svc-Redact-Fields": redact,
          "Svc-Forward-X-Key": canary(`${name}-header`),
          "Svc-Retries": "0",
        },
        body: canary(`${name}-payload`),
      });
      told.push(answer.text);
      runIds.push(answer.json["workflowRunId"] as string);
      const event = `event-${name}`;
      told.push(JSON.stringify(await journey.waiters(event, 1)));
      told.push(...(await everythingShown(journey, runIds)));
      const body = canary(`${name}-event`);
      told.push((await service.call("POST", `/v2/notify/${event}`, { body })).text);
    }
    for (const runId of runIds) await journey.phase(runId, "success");
  });

  test("deliveries carry the originals", () => {
    const { destination, endpoint } = journey;
    const sent = endpoint.calls.map(({ body }) => body.toString()).join("\n");
    for (const { name } of RUNS) {
      const [called] = destination.to(`/called/${name}`);
      assert.equal(called?.body.toString(), canary(`${name}-call-body`));
      assert.equal(called.headers["x-key"], canary(`${name}-call-header`));
      for (const secret of ["payload", "result", "call-answer", "event", "child-result"]) {
        assert.ok(isWrittenIn(sent, canary(`${name}-${secret}`)), `${name} ${secret}`);
      }
    }
  });

  test("no route shows what is hidden, while it runs and after", async () => {
    const all = [...told, ...(await everythingShown(journey, runIds))].join("\n");
    const hidden = RUNS.filter(({ isHidden }) => isHidden).flatMap(({ name }) =>
      SECRETS.map((secret) => canary(`${name}-${secret}`)),
    );
    assert.deepEqual(
      hidden.filter((secret) => isWrittenIn(all, secret)),
      [],
    );
  });

  test("what is not hidden is shown", async () => {
    for (const path of SHOWING) {
      const { text } = await journey.service.call("GET", path);
      for (const secret of SECRETS) {
        assert.ok(isWrittenIn(text, canary(`open-${secret}`)), `${path} shows no ${secret}`);
      }
    }
  });

  test("the service's own log holds no secret at all", () => {
    const log = journey.service.logged.join("\n");
    for (const { name } of RUNS) {
      for (const secret of SECRETS) {
        assert.ok(!isWrittenIn(log, canary(`${name}-${secret}`)), `${name} ${secret}`);
      }
    }
  });
});

/** What every route that reads answers, for every id there is. */
async function everythingShown(
  { service }: SdkJourney,
  runIds: readonly string[],
): Promise<string[]> {
  const messages = await service.select("SELECT message_id AS id FROM facts");
  const ids: Readonly<Record<string, readonly string[]>> = {
    messageId: messages.map(({ id }) => String(id)),
    workflowRunId: runIds,
    eventId: RUNS.map(({ name }) => `event-${name}`),
  };
  const paths = ROUTES.filter(
    ({ method, needs, path }) => method === "GET" && needs === "read" && !NOT_ASKED.includes(path),
  ).flatMap(({ path }) => {
    const [parameter, name] = /\{(\w+)[^}]*\}/.exec(path) ?? [];
    if (parameter === undefined) return [path];
    return (ids[name!] ?? []).map((id) => path.replace(parameter, id));
  });
  const all = [...paths, ...SHOWING, "/v2/workflows/events?groupBy=workflowRunId"];
  const answers = await Promise.all(all.map((path) => service.call("GET", path)));
  return answers.map(({ text }) => text);
}
