/** A large report begins in pieces, and nobody who reads it can tell. */
import assert from "node:assert/strict";

import { type BodyPiece, PIECE_BYTES } from "../../src/core/model/message/body-piece.ts";
import type { MessageState } from "../../src/core/model/message/message.ts";
import { callbackOf } from "../../src/core/rules/message/callback.ts";
import type { KeepPieceAct } from "../../src/core/rules/message/keep-piece.ts";
import type { SettleAct, SettleAnswer } from "../../src/core/rules/message/settlement.ts";
import { storeAhead } from "../../src/engine/dispatch/report-pieces.ts";
import type { PageRequest } from "../../src/store/reader/page.ts";
import type { LeasedMessage } from "../../src/store/store.ts";
import { aCallback, aSettlement } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

const PAGE: PageRequest = { after: null, count: 100, order: "earliestFirst" };
const ANSWER = Uint8Array.from(
  { length: 2 * PIECE_BYTES },
  (_, index) => (index * 7) ^ (index >> 8),
);

contract("bodies that begin in pieces", (promise) => {
  promise("the report is sent whole, and again after a failure", async (scene) => {
    const expected = await reportOf(scene, "source");
    const leased = await scene.claimOne();
    assert.ok(Buffer.from(leased.body).equals(expected));
    await scene.retry(leased, 1_000);
    scene.clock.advance(1_000);
    const again = await scene.claimOne();
    assert.ok(Buffer.from(again.body).equals(expected));
  });

  promise("it is shown whole, in part and with its size", async (scene) => {
    const expected = await reportOf(scene, "source");
    const { messages } = scene.store.reader;
    const key = { accountId: "account", messageId: "source-callback-1" };
    assert.ok(expected.equals((await messages.get(key))!.body));
    for (const size of [0, 10, PIECE_BYTES, PIECE_BYTES + 1, expected.length - 1]) {
      assert.ok(
        expected.subarray(0, size).equals((await messages.get(key, size))!.body),
        `${size}`,
      );
    }
    for (const from of [0, 1, PIECE_BYTES - 1, PIECE_BYTES, 2 * PIECE_BYTES + 5]) {
      assert.ok(expected.subarray(from).equals(await partsFrom(scene, from)), `from ${from}`);
    }
    const filter = { messageIds: [key.messageId] };
    const logged = await messages.log("account", filter, { ...PAGE, bodyBytesMax: 300_000 });
    assert.ok(expected.subarray(0, 300_000).equals(logged.items[0]!.body));
  });

  promise("as a dead letter it is whole, and a page has room for its size", async (scene) => {
    const expected = await reportOf(scene, "source");
    await scene.kill(await scene.claimOne());
    const asked: number[] = [];
    const reserve = (bytes: number): Promise<void> => {
      asked.push(bytes);
      return Promise.resolve();
    };
    const { deadLetters } = scene.store.reader;
    const { items } = await deadLetters.list("account", {}, { ...PAGE, reserve });
    assert.ok(expected.equals(items[0]!.body));
    assert.ok(asked.every((bytes) => bytes >= expected.length));
    const { accountId, diedAt, number } = items[0]!.deadLetter;
    assert.ok(expected.equals((await deadLetters.get({ accountId, diedAt, number }))!.body));
  });

  promise("a failure that is reported twice has both reports", async (scene) => {
    await scene.publish("source", { callback: aCallback(), failureCallback: aCallback() });
    await settleAhead(scene, await scene.claimOne(), "dead");
    const reports = await scene.claim();
    assert.equal(reports.length, 2);
    for (const { body } of reports) {
      const { body: answer } = JSON.parse(Buffer.from(body).toString()) as { body: string };
      assert.ok(Buffer.from(answer, "base64").equals(ANSWER));
    }
  });

  promise("pieces of a lease that was lost, or of a second try, do no harm", async (scene) => {
    await scene.publish("source", { callback: aCallback() });
    const first = await scene.claimOne();
    // The first try was answered with more than the second.
    for (const at of [0, 1, 2, 3, 4]) {
      await scene.act({ rule: "keep-piece", lease: first.lease, piece: pieceOf(first, at) });
    }
    await scene.act({ rule: "hand-back", at: scene.now, lease: first.lease });
    const second = await scene.claimOne();
    const late = { rule: "keep-piece", lease: first.lease, piece: pieceOf(first, 0) } as const;
    assert.equal(await scene.act(late), "stale");
    const act = await settleAhead(scene, second, "delivered");
    const report = await scene.claimOne();
    const { body: answer } = JSON.parse(Buffer.from(report.body).toString()) as { body: string };
    assert.ok(Buffer.from(answer, "base64").equals(ANSWER));
    assert.equal(act, "settled");
  });

  promise("they stay for as long as a report that begins with them, and then go", async (scene) => {
    const expected = await reportOf(scene, "source");
    scene.clock.advance(1_000);
    await scene.sweepAccount();
    const report = await scene.claimOne();
    assert.ok(expected.equals(report.body));
    await scene.deliver(report);
    for (let rounds = 0; rounds < 2; rounds++) {
      scene.clock.advance(1_000);
      await scene.sweepAccount();
    }
    const { messages } = scene.store.reader;
    for (const messageId of ["source", "source-callback-1"]) {
      assert.equal(await messages.get({ accountId: "account", messageId }), null);
    }
    // Another message of that id would find them.
    await scene.publish("source", { callback: aCallback() });
    const act = deliveryOf(scene, await scene.claimOne());
    await scene.act({ ...act, source: { ...act.source!, bytesAhead: PIECE_BYTES } });
    assert.ok((await scene.claimOne()).body.byteLength < 1_000);
  });
});

/** Publishes a message, delivers it with a large answer, and returns its report. */
async function reportOf(scene: Scene, messageId: string): Promise<Buffer> {
  await scene.publish(messageId, { callback: aCallback() });
  const leased = await scene.claimOne();
  const [added] = callbackOf(deliveryOf(scene, leased).source!, deliveryOf(scene, leased), STATE);
  assert.ok(added?.type === "message.added");
  assert.equal(await settleAhead(scene, leased, "delivered"), "settled");
  return Buffer.from(added.message.body);
}

const STATE = { accountId: "account", rootId: null, queue: null } as MessageState;

function deliveryOf(scene: Scene, leased: LeasedMessage): SettleAct {
  const verdict = { kind: "delivered" } as const;
  return aSettlement(leased, { at: scene.now, verdict, attempt: { body: ANSWER } });
}

/** As the engine does, wherever groups wait for one another. */
async function settleAhead(
  scene: Scene,
  leased: LeasedMessage,
  kind: "delivered" | "dead",
): Promise<SettleAnswer> {
  const act = aSettlement(leased, { at: scene.now, verdict: { kind }, attempt: { body: ANSWER } });
  const keep = (piece: KeepPieceAct) => scene.act(piece);
  const source = await storeAhead(keep, leased.lease, act.attempt, act.source!);
  return scene.act({ ...act, attempt: { ...act.attempt, body: new Uint8Array(0) }, source });
}

function pieceOf({ lease, attempts }: LeasedMessage, piece: number): BodyPiece {
  const { accountId, messageId } = lease;
  const body = Buffer.alloc(PIECE_BYTES, "x");
  return { accountId, messageId, attempt: attempts + 1, piece, body };
}

/** The report from an offset on, as it is read to be shown: until a part is short. */
async function partsFrom(scene: Scene, start: number): Promise<Buffer> {
  const key = { accountId: "account", messageId: "source-callback-1" };
  const parts: Uint8Array[] = [];
  for (let from = start; ; from += PART_BYTES) {
    const part = await scene.store.reader.messages.bodyPart(key, from, PART_BYTES);
    parts.push(part!);
    if (part!.byteLength < PART_BYTES) return Buffer.concat(parts);
  }
}

const PART_BYTES = 100_000;
