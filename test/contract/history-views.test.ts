/** The views of the history: the same columns, rows and meaning in both databases. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HISTORY_VIEWS, VIEWS_VERSION } from "../../src/store/records/history-views.ts";
import { VIEW_STATEMENTS } from "../../src/store/postgres/upkeep/views.ts";
import { sha256Hex } from "../../src/core/sha-256.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { aLeasedMessage, aSettlement, bytes, START_AT } from "../support/messages.ts";
import { aPutSchedule } from "../support/schedules.ts";
import { type StoreKind, STORES } from "../support/stores.ts";
import { fillAccount } from "./full-account.ts";
import { Scene } from "./scene.ts";

type Row = Readonly<Record<string, unknown>>;
type Views = ReadonlyMap<string, readonly Row[]>;

const [, ON_DISK, POSTGRES] = STORES;
const SECRET = "secret-header-value";

/** Something of each kind, and texts that are hard to read. */
async function playHistory(scene: Scene): Promise<void> {
  await fillAccount(scene, "one", 1);
  await scene.addAccount("account");
  const headers = [["authorization", SECRET]] as [string, string][];
  const redact = { body: true, allHeaders: true, headers: [] };
  const url = "https://user:word@Example.test:8443/hook?to=/x@y#z";
  await scene.publish("redacted", {
    url,
    headers,
    redact,
    body: bytes("secret body"),
    leasedBy: "node",
    labels: ["a", "b"],
  });
  scene.clock.advance(250);
  const attempt = {
    status: 500,
    body: bytes("secret answer"),
    startedAt: scene.now - 200,
    endedAt: scene.now,
  };
  const leased = aLeasedMessage({ messageId: "redacted", url });
  const verdict = { kind: "retry", readyAt: scene.now + 1_000 } as const;
  await scene.act(aSettlement(leased, { at: scene.now, verdict, attempt }));
  for (const [index, label] of ["NUL \0", "half \ud83d", String.raw`\u0000 spelled`].entries()) {
    await scene.publish(`hard-${index}`, { labels: [label], delayMs: 1_000 });
  }
  await scene.act(aPutSchedule(scene.now, "paused"));
  await scene.act({
    rule: "pause-schedule",
    at: scene.now,
    key: { accountId: "account", scheduleId: "paused" },
    isPaused: true,
  });
}

async function readViews(kind: StoreKind): Promise<Views> {
  const clock = new ManualClock(START_AT);
  const opened = await kind.open(clock);
  try {
    await playHistory(new Scene(opened.store, clock));
    const views = new Map<string, readonly Row[]>();
    for (const { name, columns } of HISTORY_VIEWS) {
      const rows = await opened.select!(`SELECT * FROM ${name}`);
      for (const row of rows)
        assert.deepEqual(
          Object.keys(row),
          columns.map((column) => column.name),
        );
      views.set(
        name,
        rows.map((row) => typed(row, columns)),
      );
    }
    return views;
  } finally {
    await opened.close();
  }
}

/** PostgreSQL's client gives large integers as text. */
function typed(row: Row, columns: (typeof HISTORY_VIEWS)[number]["columns"]): Row {
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const value = row[name];
      if (value === null) return [name, null];
      if (type === "integer") assert.match(`${value as number}`, /^-?\d+$/, name);
      else assert.equal(typeof value, "string", name);
      return [name, type === "integer" ? Number(value) : value];
    }),
  );
}

/** Half a character and NUL are shown as each database can. */
const isHard = (row: Row): boolean => /^hard-[01]/.test(String(row["message_id"]));

const inOrder = (rows: readonly Row[]): string[] =>
  rows
    .filter((row) => !isHard(row))
    .map((row) => JSON.stringify(row))
    .toSorted();

test("both databases show the same history", { skip: POSTGRES!.skip }, async () => {
  const [sqlite, postgres] = [await readViews(ON_DISK!), await readViews(POSTGRES!)];
  for (const { name } of HISTORY_VIEWS) {
    if (name === "history_clock") continue;
    assert.ok(sqlite.get(name)!.length > 1, name);
    assert.equal(sqlite.get(name)!.length, postgres.get(name)!.length, name);
    assert.deepEqual(inOrder(postgres.get(name)!), inOrder(sqlite.get(name)!), name);
  }
});

test("what they show is what happened, without a body or a header", async () => {
  const views = await readViews(ON_DISK!);
  const found = (name: string, messageId: string): Row =>
    views.get(name)!.find((row) => row["message_id"] === messageId)!;
  const message = found("history_messages", "redacted");
  assert.partialDeepStrictEqual(message, {
    account_id: "account",
    created_at: START_AT,
    state: "RETRY",
    ended_at: null,
    attempts: 1,
    last_status: 500,
    host: "example.test:8443",
    labels: "a,b",
    body_bytes: 11,
    is_redacted: 1,
  });
  assert.partialDeepStrictEqual(found("history_attempts", "redacted"), {
    attempt: 1,
    duration_ms: 200,
    state: "ERROR",
    next_state: "RETRY",
    next_at: START_AT + 1_250,
    response_bytes: 13,
  });
  assert.partialDeepStrictEqual(found("history_dead_letters", "dead"), {
    attempts: 1,
    host: "one.test",
  });
  const states = Object.groupBy(views.get("history_runs")!, (row) => String(row["state"]));
  assert.deepEqual(Object.keys(states).toSorted(), ["RUN_FAILED", "RUN_STARTED", "RUN_SUCCESS"]);
  const [step] = views.get("history_steps")!.filter(({ kind }) => kind === "result");
  assert.equal(step?.["step_id"], 1);
  const paused = views.get("history_schedules")!.map(({ is_paused: isPaused }) => isPaused);
  assert.deepEqual(
    paused.map(Number).toSorted((one, other) => one - other),
    [0, 0, 1],
  );
  const shown = JSON.stringify([...views]);
  for (const hidden of [
    SECRET,
    "secret body",
    "secret answer",
    "body of",
    "answer to",
    "payload of",
  ]) {
    assert.ok(!shown.includes(hidden), hidden);
  }
});

test("a view that changes has a new version", () => {
  const changed = "raise VIEWS_VERSION, add columns only at the end, and put the new hash here";
  const hash = sha256Hex(bytes(VIEW_STATEMENTS.join("\n"))).slice(0, 16);
  assert.deepEqual([VIEWS_VERSION, hash], [2, "c744997184c05f16"], changed);
});
