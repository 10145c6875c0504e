/** Dead letters that failed alike: their order, their words, and what a bulk job makes of a refusal. */
import assert from "node:assert/strict";
import { afterEach, describe, mock, test } from "node:test";
import type { DeadLetterGroup, DeadLetterHost } from "../../sdk/src/answers/dead-letter.ts";
import { dashboardModule } from "../support/dashboard-modules.ts";

interface Group extends DeadLetterGroup {
  readonly key: string;
  readonly kind: "messages" | "runs";
  readonly isAtLeast: boolean;
}
interface Batch {
  readonly key: string;
  readonly kind: string;
  readonly query: object;
}
interface Letter {
  readonly dlqId: string;
  readonly url: string;
  readonly responseStatus: number;
  readonly responseBody?: string;
  readonly responseHeader?: Readonly<Record<string, readonly string[]>>;
}
interface Job {
  readonly done: number;
  readonly failures: readonly { readonly dlqId: string; readonly why: string }[];
  readonly problem: string | null;
  readonly state: string;
}

const { groupDetail, groupsOf, groupTitle, lastDay } = await dashboardModule<{
  lastDay: (hours: DeadLetterGroup["hours"], now: number) => number[];
  groupDetail: (group: object, samples: readonly Letter[], now: number) => string;
  groupsOf: <Row>(messages: readonly Row[], runs: readonly Row[]) => (Row & Batch)[];
  groupTitle: (group: object, samples: readonly Letter[]) => string;
}>("dead-letter/dead-groups.ts");
const { job, startJob } = await dashboardModule<{
  job: { value: Job | null };
  startJob: (order: object, onEnd: () => void) => Promise<void>;
}>("dead-letter/bulk-job.ts");

const AT = new Date(2026, 5, 15, 12).getTime();

test("groups of both kinds: the largest first, then the newest", () => {
  const groups = groupsOf(
    [groupOf({ count: 1, responseStatus: 500 }), groupOf({ count: 3, responseStatus: 404 })],
    [groupOf({ count: 1, responseStatus: 503, lastAt: AT + 1 })],
  );
  assert.deepEqual(
    groups.map(({ kind, responseStatus }) => `${kind} ${responseStatus}`),
    ["messages 404", "runs 503", "messages 500"],
  );
});

test("the trend has the last 24 hours, those without a failure too", () => {
  const hour = 3_600_000;
  const hours = [
    { at: 30 * hour, count: 2 },
    { at: 7 * hour, count: 5 },
    { at: 6 * hour, count: 9 },
  ];
  const day = lastDay(hours, 30.5 * hour);
  assert.deepEqual([day.length, day[0], day[1], day.at(-1)], [24, 5, 0, 2]);
});

test("a group is named by its error, its status, or the step that answered so", () => {
  assert.equal(title({ error: "connection refused" }), "Connection refused");
  assert.equal(title({ responseStatus: 503, cause: "status 503" }), "503 Service Unavailable");
  assert.equal(title({ responseStatus: 418, cause: "status 418" }), "418");
  assert.equal(
    title({ responseStatus: 400, cause: "no such user" }),
    "400 Bad Request: no such user",
  );
  assert.equal(title({ responseStatus: 0, cause: "status 0" }), "No answer");
  const run = { responseStatus: 500, cause: "status 500", kind: "runs" } as const;
  assert.equal(title(run, [stepOf("charge"), stepOf("charge")]), "Step “charge” answered 500");
  assert.equal(title(run, [stepOf("charge"), stepOf("book")]), "A step answered 500");
});

test("a group says what was answered, from where, and since when", () => {
  const group = { ...groupOf({ count: 2, firstAt: AT }), kind: "messages" } as Group;
  const said = { ...LETTER, responseBody: '{"message":"over  capacity"}' };
  assert.equal(
    groupDetail(group, [said, LETTER], AT),
    "Over capacity, all from a.test since 12:00:00, 4 attempts",
  );
  assert.equal(groupDetail(group, [], AT), "Since 12:00:00, 4 attempts");
});

test("a group of a host means its letters, and says what they were answered", () => {
  const { responseStatus: _status, cause: _cause, ...counts } = groupOf({ count: 2 });
  const [group] = groupsOf<DeadLetterHost>([{ ...counts, host: "a.test" }], []);
  const letters = [{ ...LETTER, responseStatus: 0 }, LETTER, { ...LETTER, responseStatus: 503 }];
  assert.deepEqual([group?.key, group?.query], ["messages a.test", { host: "a.test" }]);
  assert.equal(groupTitle(group!, []), "a.test");
  assert.equal(groupDetail(group!, letters, AT), "503, no answer since 12:00:00, 4 attempts");
});

describe("a bulk job", () => {
  afterEach(() => mock.restoreAll());

  test("goes on one by one where a dead letter is refused, and says which", async () => {
    answer((path, { dlqIds }) => {
      if (dlqIds?.includes("2") === true || path.endsWith("/2"))
        return Response.json({ error: "over the limit" }, { status: 412 });
      return Response.json({ responses: [{}] });
    });
    const ended = await jobOf(["1", "2", "3"]);
    assert.equal(ended.done, 2);
    assert.deepEqual(ended.failures, [{ dlqId: "2", url: "", why: "over the limit" }]);
    assert.equal(ended.problem, null);
  });

  test("ends where a parameter of the request is refused", async () => {
    let calls = 0;
    answer(() => {
      calls += 1;
      return Response.json({ error: "over: is too long", field: "over" }, { status: 400 });
    });
    const ended = await jobOf(["1", "2"]);
    assert.equal(ended.problem, "over: is too long");
    assert.equal(calls, 1);
  });

  test("goes on where the sentence about a dead letter begins like a parameter", async () => {
    answer((path) =>
      path.endsWith("/1")
        ? Response.json({ responses: [{}] })
        : Response.json({ error: "error while it was sent again" }, { status: 400 }),
    );
    const ended = await jobOf(["1"]);
    assert.deepEqual([ended.done, ended.problem], [1, null]);
  });
});

const LETTER: Letter = { dlqId: `${AT}-1`, url: "https://a.test/x", responseStatus: 503 };

function title(facts: Partial<Group>, letters: readonly Letter[] = []): string {
  return groupTitle({ ...groupOf(facts), kind: "messages", ...facts }, letters);
}

function stepOf(name: string): Letter {
  return { ...LETTER, responseHeader: { "Svc-Error-Step-Name": [name] } };
}

function groupOf(facts: Partial<DeadLetterGroup>): DeadLetterGroup {
  const status = facts.responseStatus ?? 500;
  return {
    responseStatus: status,
    cause: `status ${status}`,
    count: 1,
    attempts: 4,
    firstAt: AT,
    lastAt: AT,
    hours: [],
    ...facts,
  };
}

function answer(reply: (path: string, body: { dlqIds?: string[] }) => Response): void {
  mock.method(globalThis, "fetch", async (url: string, { body }: { body: string | null }) => {
    const [path = ""] = url.split("?");
    return reply(path, body === null ? {} : (JSON.parse(body) as { dlqIds?: string[] }));
  });
}

async function jobOf(ids: readonly string[]): Promise<Job> {
  job.value = null;
  const letters = new Map(ids.map((id) => [id, "messages"]));
  const chosen = { batches: new Map(), letters };
  const order = { action: "retry", kinds: ["messages"], chosen, total: ids.length, over: null };
  await startJob(order, () => undefined);
  return job.value!;
}
