import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { createSecretBox } from "../../src/platform/secret-box.ts";
import { drawSigningKey } from "../../src/platform/token.ts";
import type { Store } from "../../src/store/store.ts";
import { fillSqlite } from "../bench/fill.ts";
import { Command } from "../support/command.ts";
import { until } from "../support/eventually.ts";
import { steadyPort } from "../support/free-port.ts";
import { fillStore } from "../support/full-store.ts";
import { anAccount } from "../support/messages.ts";
import { withClient } from "../support/postgres-url.ts";
import { aPutSchedule } from "../support/schedules.ts";
import { postgresDigests, sqliteDigests } from "../support/store-digests.ts";
import { type Judgement, judge } from "./judge.ts";
import { Load } from "./load.ts";
import { call, ServiceProcess } from "./service-process.ts";
import { RecordingSink } from "./sink.ts";

export interface MoveReport extends Judgement {
  readonly rows: number;
  /** Kills of the process that moves, there and back. */
  readonly kills: readonly [there: number, back: number];
  /** How long nodes stood still, there and back. */
  readonly standStillMs: readonly [there: number, back: number];
  /** Publishes that were refused with 503 and a Retry-After meanwhile. */
  readonly refused: number;
}

const KEY = "the-secret-key-of-the-proofs-0123";
const SECRET_KEY = ["--secret-key", KEY];
const ids = createIds();

/** When the process of a move is killed, by what it has copied. */
type Progress = Readonly<Record<string, unknown>>;
const KILL_AT: readonly ((copied: Progress) => boolean)[] = [
  (copied) => "accounts" in copied,
  (copied) => "facts" in copied,
  (copied) => copied["log_entries"] === null,
];

/**
 * Moves a store under load from SQLite to PostgreSQL at `databaseUrl`, and back, and kills the process
 * of the move on its way. What was acknowledged is delivered in the end, and nothing twice.
 */
export async function moveUnderLoad(
  databaseUrl: string,
  { messages, publishers }: { readonly messages: number; readonly publishers: number },
): Promise<MoveReport> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-move-"));
  const [data, back] = [join(folder, "data"), join(folder, "back")];
  await fillSqlite(join(data, "postrider.db"), (store) => fill(store, messages));
  const sink = await RecordingSink.start();
  const services = [
    await serviceOn("--data", data),
    await serviceOn("--database-url", databaseUrl),
    await serviceOn("--data", back),
  ];
  let service = services[0]!;
  const refusals = new Refusals(() => service.url);
  const load = new Load(() => [service.url], sink.url);
  const moveOn = async (words: string[], copied: () => Promise<Progress>, next: number) => {
    const moved = await moveKilled([...words, ...SECRET_KEY], copied);
    await service.dead();
    assert.equal(await service.kill("SIGTERM"), 0, service.output);
    assert.match(service.output, /the data was moved to/);
    await requireSame(moved.renamedTo, databaseUrl, join(back, "postrider.db"));
    service = services[next]!;
    await service.start();
    return moved;
  };
  try {
    await service.start();
    load.start(publishers);
    refusals.start();
    const inPostgres = () => copiedInPostgres(databaseUrl);
    const there = await moveOn(["--data", data, "--to", databaseUrl], inPostgres, 1);
    const draft = join(back, "postrider.db.arriving");
    const inSqlite = async () => copiedInSqlite(draft);
    const home = await moveOn(["--data", back, "--from", databaseUrl], inSqlite, 2);
    await load.stop();
    return {
      ...(await judge(load.ledger, sink, service.url, [])),
      rows: there.rows + home.rows,
      kills: [there.kills, home.kills],
      standStillMs: [there.standStillMs, home.standStillMs],
      refused: refusals.count,
    };
  } finally {
    await Promise.all([load.stop(), refusals.stop()]);
    for (const each of services) await each.kill("SIGKILL");
    await sink.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serviceOn(...args: string[]): Promise<ServiceProcess> {
  return new ServiceProcess(await steadyPort(), [...args, ...SECRET_KEY]);
}

export function requireMoved(report: MoveReport): void {
  assert.deepEqual(report.kills, [KILL_AT.length, KILL_AT.length]);
  assert.ok(report.acknowledged > 100, `${report.acknowledged} acknowledged`);
  assert.equal(report.lost, 0, `${report.lost} acknowledged messages were lost`);
  assert.equal(report.duplicates, 0, `${report.duplicates} arrived again`);
  assert.ok(report.refused > 0, "publishing was never refused");
  for (const ms of report.standStillMs) assert.ok(ms < 10_000, `nodes stood still for ${ms} ms`);
}

interface MovedKilled {
  readonly rows: number;
  readonly kills: number;
  readonly standStillMs: number;
  readonly renamedTo: string;
}

/** Runs the command, kills it at each of the points, and lets it come to its end. */
async function moveKilled(
  words: readonly string[],
  copied: () => Promise<Progress>,
): Promise<MovedKilled> {
  for (const isThere of KILL_AT) {
    const mover = new Command(["move", ...words]);
    let hasEnded = false;
    void mover.ends().then(() => (hasEnded = true));
    await until(async () => hasEnded || isThere(await copied().catch(() => ({}))), "it copies");
    assert.ok(!hasEnded, `it ended before it was killed: ${mover.errors}`);
    mover.signal("SIGKILL");
    await mover.ends();
  }
  const mover = new Command(["move", ...words, "--json"]);
  assert.equal(await mover.ends(), 0, mover.errors);
  return { ...(JSON.parse(mover.output) as Omit<MovedKilled, "kills">), kills: KILL_AT.length };
}

async function copiedInPostgres(url: string): Promise<Progress> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ record: string }>("SELECT record FROM postrider.move_progress"),
  );
  return copiedIn(rows[0]!.record);
}

function copiedInSqlite(path: string): Progress {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return copiedIn(String(database.prepare("SELECT record FROM move_progress").get()!["record"]));
  } finally {
    database.close();
  }
}

function copiedIn(record: string): Progress {
  return (JSON.parse(record) as { copied: Progress }).copied;
}

/** The old store and the new one, before a service starts on that. */
async function requireSame(renamedTo: string, url: string, path: string): Promise<void> {
  const isThere = renamedTo.includes("/");
  const before = isThere ? sqliteDigests(renamedTo) : await postgresDigests(url, renamedTo);
  assert.deepEqual(isThere ? await postgresDigests(url) : sqliteDigests(path), before);
}

/** Something of everything, for an account that nobody calls. */
async function fill(store: Store, messages: number): Promise<void> {
  const accountId = "filled";
  const key = createSecretBox(KEY, ids).seal(drawSigningKey(ids), accountId);
  const account = anAccount({ accountId, signingKeys: { current: key, next: key } });
  await store.act({ rule: "add-account", account });
  const now = systemClock.now();
  for (let index = 0; index < 20; index++) {
    await store.act(aPutSchedule(now, `schedule-${index}`, {}, accountId));
  }
  await fillStore(store, { messages, runs: Math.ceil(messages / 100), accountId });
}

/** Publishes to nowhere, one after the other, and counts how often it was asked to come back. */
class Refusals {
  count = 0;
  readonly #url: () => string;
  #running: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(url: () => string) {
    this.#url = url;
  }

  start(): void {
    this.#running = this.#run();
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    return this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const path = "/v2/publish/https://nowhere.invalid/";
      const answer = await call(this.#url(), "POST", path, { "svc-delay": "1d" }).catch(() => null);
      await answer?.text();
      if (answer?.status === 503 && answer.headers.get("retry-after") !== null) this.count += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
