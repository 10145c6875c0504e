import assert from "node:assert/strict";
import type { RerunAct } from "../../src/core/rules/workflow/rerun.ts";
import { deadLetterId } from "../../src/core/model/message/dead-letter.ts";
import type { Run } from "../../src/core/model/workflow/run.ts";
import type { PageRequest } from "../../src/store/reader/page.ts";
import { aMessage, aSettlement, START_AT } from "../support/messages.ts";
import { anEnd, anItem, aStart, aStep, refOf } from "../support/runs.ts";
import { contract, type Scene } from "./scene.ts";

contract("failed runs", (promise) => {
  promise("runs are listed by when they were made, and by their ids", async (scene) => {
    for (const runId of ["a", "b", "c"]) {
      await start(scene, runId);
      scene.clock.advance(10);
    }
    const ids = async (filter: object, after: string | null = null, count = 10) => {
      const page = { after, count, order: "latestFirst" } as const;
      const found = await scene.store.reader.runs.list("account", filter, page);
      return [found.items.map(({ state }) => state.runId), found.next] as const;
    };
    assert.deepEqual(await ids({}), [["c", "b", "a"], null]);
    const [first, next] = await ids({}, null, 2);
    assert.deepEqual(first, ["c", "b"]);
    assert.deepEqual(await ids({}, next, 2), [["a"], null]);
    assert.deepEqual(await ids({ runIds: ["a", "c"] }), [["c", "a"], null]);
    assert.deepEqual(await ids({ phases: ["failed"] }), [[], null]);
    assert.deepEqual(await ids({ fromAt: scene.now - 10 }), [["c"], null]);
  });

  promise("failed runs that are named come in the order and pages of the list", async (scene) => {
    const ids: string[] = [];
    for (const runId of ["a", "b", "c", "d"]) {
      ids.push(deadLetterId((await bury(scene, runId)).key));
    }
    const deadLetterIds = [ids[2]!, ids[0]!, "5-5", "no id", ids[3]!, ids[0]!];
    const named = async (order: "latestFirst" | "earliestFirst") => {
      const pages: string[][] = [];
      let after: string | null = null;
      do {
        const page: PageRequest = { after, count: 2, order };
        const found = await scene.store.reader.deadRuns.list("account", { deadLetterIds }, page);
        pages.push(found.items.map(({ state }) => state.runId));
        after = found.next;
        assert.ok(pages.length < 5);
      } while (after !== null);
      return pages;
    };
    assert.deepEqual(await named("latestFirst"), [["d", "c"], ["a"]]);
    assert.deepEqual(await named("earliestFirst"), [["a", "c"], ["d"]]);
    const page = { after: null, count: 2, order: "latestFirst" } as const;
    const none = { deadLetterIds: [] };
    assert.deepEqual((await scene.store.reader.deadRuns.list("account", none, page)).items, []);
  });

  promise("of several who take a failed run up, one makes the new run", async (scene) => {
    const act = await bury(scene, "a");
    const names = ["b", "c", "d"];
    const answers = await Promise.all(
      names.map((runId) => scene.act({ ...act, run: { ...act.run, runId } })),
    );
    assert.equal(answers.filter(({ kind }) => kind === "rerun").length, 1);
    assert.equal(answers.filter(({ kind }) => kind === "gone").length, 2);
    assert.equal(await scene.store.reader.deadRuns.get(act.key), null);
    const { items } = await scene.store.reader.runs.list(
      "account",
      { phases: ["started"] },
      { after: null, count: 10, order: "latestFirst" },
    );
    assert.equal(items.length, 1);
    const [made] = items;
    const entries = await scene.store.reader.runs.entries(made!.state);
    assert.deepEqual(
      entries.map(({ ordinal, messageId }) => [ordinal, messageId]),
      [[0, "again"]],
    );
    const old = await scene.store.reader.runs.get(act.from);
    assert.equal(old?.state.failure?.followedBy?.runId, made?.state.runId);
  });

  promise("a failed run that got an entry in the meantime is read again", async (scene) => {
    const act = await bury(scene, "a");
    const answer = await scene.act({ ...act, nextOrdinal: act.nextOrdinal + 1 });
    assert.deepEqual(answer, { kind: "changed" });
    assert.equal((await scene.store.reader.deadRuns.get(act.key))?.state.runId, "a");
  });

  promise("what a failed run did can be read", async (scene) => {
    const { key } = await bury(scene, "a");
    const dead = await scene.store.reader.deadRuns.get(key);
    assert.equal(Buffer.from(dead!.payload).toString(), "payload");
    const history = await scene.store.reader.runs.history(dead!.state, 100);
    assert.deepEqual(
      history.entries.map(({ kind }) => kind),
      ["payload"],
    );
    const [sent] = history.messages;
    assert.equal(sent?.log.at(-1)?.entry.state, "FAILED");
    assert.equal(sent?.log.find(({ entry }) => entry.state === "ERROR")?.attempt?.status, 500);
  });

  promise("a parent that has failed keeps the results of all that it invoked", async (scene) => {
    await scene.act(aStart());
    const first = await scene.claimOne();
    for (const stepId of [1, 2]) {
      const { requested } = anItem("x", stepId);
      const invoker = {
        ref: refOf(),
        step: aStep(stepId),
        requested,
        messageId: `opened-${stepId}`,
      };
      const fields = { runId: `child-${stepId}`, failureCallback: undefined };
      await scene.act(aStart(fields, { invoker }));
    }
    await scene.kill(first);
    const parent = { accountId: "account", runId: "run", createdAt: START_AT };
    for (const stepId of [1, 2]) {
      const invoker = { ...parent, stepId };
      const more = { ref: refOf(`child-${stepId}`), invoker, invokerMessageId: `told-${stepId}` };
      assert.equal(await scene.act(anEnd(scene.now, "success", more)), "ended");
    }
    const entries = await scene.store.reader.runs.entries(parent);
    const results = entries.filter(({ kind }) => kind === "result");
    assert.deepEqual(
      results.map(({ messageId }) => messageId),
      ["told-1", "told-2"],
    );
  });
});

function aRun(scene: Scene, runId: string): Run {
  return {
    accountId: "account",
    runId,
    createdAt: scene.now,
    workflowUrl: "https://example.test/flow",
    dialect: "svc",
    headers: [],
    settings: { timeoutMs: 30_000, retries: 0 },
    callerIp: "192.0.2.1",
    features: { lazyFetch: false, detectTrigger: false, inheritsSettings: true },
  };
}

async function start(scene: Scene, runId: string) {
  const run = aRun(scene, runId);
  const requested = aMessage({ messageId: `message-${runId}`, kind: "step", createdAt: scene.now });
  const payload = Buffer.from("payload");
  const act = { rule: "start-run", at: scene.now, run, payload, requested } as const;
  await scene.act({ ...act, nodeId: null, invoker: null });
  return run;
}

/** A run whose first step has failed, and the act that would start it again. */
async function bury(scene: Scene, runId: string): Promise<RerunAct> {
  const run = await start(scene, runId);
  const [leased] = await scene.claim();
  await scene.act(aSettlement(leased!, { at: scene.now, verdict: { kind: "dead" } }));
  const page = { after: null, count: 1, order: "latestFirst" } as const;
  const [dead] = (await scene.store.reader.deadRuns.list("account", {}, page)).items;
  const { deadLetter, state } = dead!;
  const { diedAt, number, accountId } = deadLetter;
  const entries = await scene.store.reader.runs.entries(state);
  const requested = aMessage({ messageId: "again", kind: "step", createdAt: scene.now });
  return {
    rule: "rerun",
    at: scene.now,
    key: { accountId, diedAt, number },
    from: { accountId, runId, createdAt: state.createdAt },
    nextOrdinal: state.nextOrdinal,
    run: { ...run, runId: `${runId}-again` },
    entries: entries.map((entry) => ({ ...entry, messageId: "again" })),
    resent: [{ kind: "step", requested, ordinal: 0, body: new Uint8Array(0) }],
  };
}
