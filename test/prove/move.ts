import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { createSecretBox } from "../../src/platform/secret-box.ts";
import { drawSigningKey } from "../../src/platform/token.ts";
import type { Store } from "../../src/store/store.ts";
import { fillSqlite } from "../bench/fill.ts";
import { Command } from "../support/command.ts";
import { steadyPort } from "../support/free-port.ts";
import { fillStore } from "../support/full-store.ts";
import { anAccount } from "../support/messages.ts";
import { withClient } from "../support/postgres-url.ts";
import { aPutSchedule } from "../support/schedules.ts";
import { postgresDigests, sqliteDigests } from "../support/store-digests.ts";
import { rssPeakMb } from "../bench/process-stats.ts";
import { type Judgement, judge } from "./judge.ts";
import { Load } from "./load.ts";
import { QueueProbe } from "./move-probe.ts";
import { ServiceProcess } from "./service-process.ts";
import { RecordingSink } from "./sink.ts";

export interface MoveReport extends Judgement {
  readonly there: MovedOnce;
  readonly back: MovedOnce;
  /** Messages of a queue that arrived after a later one. */
  readonly outOfOrder: number;
  /** Publishes that were refused with 503 and a Retry-After meanwhile. */
  readonly refused: number;
}

interface MovedOnce {
  readonly rows: number;
  /** Of the process that moves. */
  readonly kills: number;
  readonly standStillMs: number;
  readonly tookMs: number;
  /** Of a publish, before the move and while it ran. */
  readonly p95Ms: readonly [before: number, meanwhile: number];
  readonly moverRssMb: number;
  readonly serviceRssMb: number;
}

export interface MoveLoad {
  readonly messages: number;
  readonly publishers: number;
  /** Each publisher waits so long after each publish. */
  readonly pauseMs: number;
  /** How long publishes are measured before each move. */
  readonly calmMs: number;
}

const KEY = "the-secret-key-of-the-proofs-0123";
const SECRET_KEY = ["--secret-key", KEY];
const FILLED = "filled";
const ids = createIds();

/** What has been copied, as the target knows. */
type Progress = Readonly<Record<string, readonly unknown[] | null>>;
/** When the process of a move is killed. */
type KillPoint = (copied: Progress) => boolean;

/**
 * Moves a store under load from SQLite to PostgreSQL at `databaseUrl`, and back, and kills the process
 * of the move on its way. What was acknowledged is delivered in the end, and nothing twice.
 */
export async function moveUnderLoad(
  databaseUrl: string,
  { messages, publishers, pauseMs, calmMs }: MoveLoad,
): Promise<MoveReport> {
  const folder = mkdtempSync(join(tmpdir(), "postrider-move-"));
  const [data, back] = [join(folder, "data"), join(folder, "back")];
  const [first, last] = [join(data, "postrider.db"), join(back, "postrider.db")];
  await fillSqlite(first, (store) => fill(store, messages));
  const killPoints = killPointsOf(first, messages);
  const sink = await RecordingSink.start();
  const services = [
    await serviceOn("--data", data),
    await serviceOn("--database-url", databaseUrl),
    await serviceOn("--data", back),
  ];
  let service = services[0]!;
  const load = new Load(() => [service.url], sink.url);
  const probe = new QueueProbe(() => service.url, sink, load.ledger);
  const moveOn = async (words: string[], copied: () => Promise<Progress>, next: number) => {
    await wait(calmMs);
    const before = probe.takeP95Ms();
    const { renamedTo, ...moved } = await moveKilled([...words, ...SECRET_KEY], copied, {
      killPoints,
      service,
    });
    const p95Ms: [number, number] = [before, probe.takeP95Ms()];
    await service.dead();
    assert.equal(await service.kill("SIGTERM"), 0, service.output);
    assert.match(service.output, /the data was moved to/);
    await requireSame(renamedTo, databaseUrl, last);
    service = services[next]!;
    await service.start();
    return { ...moved, p95Ms };
  };
  try {
    await service.start();
    load.start(publishers, pauseMs);
    probe.start();
    const inPostgres = () => copiedInPostgres(databaseUrl);
    const there = await moveOn(["--data", data, "--to", databaseUrl], inPostgres, 1);
    const inSqlite = async () => copiedInSqlite(`${last}.arriving`);
    const home = await moveOn(["--data", back, "--from", databaseUrl], inSqlite, 2);
    await Promise.all([load.stop(), probe.stop()]);
    const judgement = await judge(load.ledger, sink, service.url, []);
    const { refused } = probe;
    return { ...judgement, there, back: home, outOfOrder: probe.outOfOrder(), refused };
  } finally {
    await Promise.all([load.stop(), probe.stop()]);
    for (const each of services) await each.kill("SIGKILL");
    await sink.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function serviceOn(...args: string[]): Promise<ServiceProcess> {
  return new ServiceProcess(await steadyPort(), [...args, ...SECRET_KEY]);
}

export function requireMoved(report: MoveReport): void {
  assert.ok(report.acknowledged > 100, `${report.acknowledged} acknowledged`);
  assert.equal(report.lost, 0, `${report.lost} acknowledged messages were lost`);
  assert.equal(report.duplicates, 0, `${report.duplicates} arrived again`);
  assert.equal(report.outOfOrder, 0, `${report.outOfOrder} of a queue arrived out of order`);
  assert.ok(report.refused > 0, "publishing was never refused");
  for (const { kills, standStillMs } of [report.there, report.back]) {
    assert.equal(kills, KILLS);
    assert.ok(standStillMs < 10_000, `nodes stood still for ${standStillMs} ms`);
  }
}

export function shownMove(way: string, moved: MovedOnce): string {
  const { kills, tookMs, standStillMs, p95Ms, moverRssMb, serviceRssMb } = moved;
  const [before, meanwhile] = p95Ms;
  return `${way}, ${kills} kills, in ${Math.round(tookMs / 1_000)} s, of which nodes stood still for ${standStillMs} ms, publish p95 ${before} ms before and ${meanwhile} ms meanwhile, at most ${moverRssMb} MB of the move and ${serviceRssMb} MB of the server resident`;
}

const KILLS = 3;

/** The account of the load comes after the one that is filled, by name and in time. */
function isPast({ facts }: Progress, messageId: string): boolean {
  return facts === null || (facts ?? []).some((part) => String(part) >= messageId);
}

/** After a third and two thirds of the bodies, and after the log. */
function killPointsOf(path: string, messages: number): readonly KillPoint[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const find = database.prepare(
    "SELECT message_id FROM facts WHERE account_id = ? ORDER BY message_id LIMIT 1 OFFSET ?",
  );
  const [third, later] = [1, 2].map((part) => {
    const row = find.get(FILLED, Math.floor((part * messages) / KILLS));
    return String(row!["message_id"]);
  });
  database.close();
  return [
    (copied) => isPast(copied, third!),
    (copied) => isPast(copied, later!),
    (copied) => copied["log_entries"] === null,
  ];
}

interface MovedKilled extends Omit<MovedOnce, "p95Ms"> {
  readonly renamedTo: string;
}

/** Runs the command, kills it at each of the points, and lets it come to its end. */
async function moveKilled(
  words: readonly string[],
  copied: () => Promise<Progress>,
  { killPoints, service }: { killPoints: readonly KillPoint[]; service: ServiceProcess },
): Promise<MovedKilled> {
  const startedAt = performance.now();
  let [moverRssMb, serviceRssMb] = [0, 0];
  const run = async (more: readonly string[], isAtPoint: () => Promise<boolean>) => {
    const mover = new Command(["move", ...words, ...more]);
    while (!mover.hasEnded && !(await isAtPoint())) {
      moverRssMb = Math.max(moverRssMb, peakMbOf(mover.pid));
      serviceRssMb = Math.max(serviceRssMb, peakMbOf(service.pid));
      await wait(LOOK_MS);
    }
    return mover;
  };
  for (const isThere of killPoints) {
    const mover = await run([], async () => isThere(await copied().catch(() => ({}))));
    assert.ok(!mover.hasEnded, `it ended before it was killed: ${mover.errors}`);
    mover.signal("SIGKILL");
    await mover.ends();
  }
  const mover = await run(["--json"], async () => false);
  assert.equal(await mover.ends(), 0, mover.errors);
  const tookMs = Math.round(performance.now() - startedAt);
  const moved = JSON.parse(mover.output) as Pick<
    MovedKilled,
    "rows" | "standStillMs" | "renamedTo"
  >;
  return { ...moved, kills: killPoints.length, tookMs, moverRssMb, serviceRssMb };
}

/** 0 when it has ended, or where only Linux could tell. */
function peakMbOf(pid: number): number {
  try {
    return rssPeakMb(pid);
  } catch {
    return 0;
  }
}

const LOOK_MS = 20;

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
  const accountId = FILLED;
  const key = createSecretBox(KEY, ids).seal(drawSigningKey(ids), accountId);
  const account = anAccount({ accountId, signingKeys: { current: key, next: key } });
  await store.act({ rule: "add-account", account });
  const now = systemClock.now();
  for (let index = 0; index < 20; index++) {
    await store.act(aPutSchedule(now, `schedule-${index}`, {}, accountId));
  }
  await fillStore(store, { messages, runs: Math.ceil(messages / 100), accountId });
}
