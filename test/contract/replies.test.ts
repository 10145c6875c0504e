import assert from "node:assert/strict";
import type { ReplyAct, RunReply } from "../../src/core/rules/workflow/reply.ts";
import { decodeFacts } from "../../src/core/model/message/settings.ts";
import type { RunKey } from "../../src/core/model/workflow/run.ts";
import { ENTRIES_MAX } from "../../src/core/rules/workflow/run-entries.ts";
import type { LeasedMessage } from "../../src/store/store.ts";
import { textOf } from "../../src/wire/message/body.ts";
import { anAttempt, bytes, START_AT } from "../support/messages.ts";
import { anEnd, anItem, aStart, refOf } from "../support/runs.ts";
import { contract, type Scene } from "./scene.ts";

const KEY: RunKey = { accountId: "account", runId: "run", createdAt: START_AT };
const END: RunReply = {
  kind: "end",
  response: bytes('"replied"'),
  invoker: null,
  invokerMessageId: "told-parent",
};

contract("replies", (promise) => {
  promise("a reply settles its delivery and moves the run on, in one act", async (scene) => {
    const first = await started(scene);
    const answer = await scene.act(reply(first, steps(anItem("a", 1, { nodeId: "node" }))));
    assert.ok(answer.kind === "settled");
    const [submitted] = answer.items;
    assert.equal(submitted?.leased, true);
    const made = decodeFacts(submitted.facts ?? "");
    assert.deepEqual([made.messageId, made.run?.ordinal], ["a", 1]);
    assert.equal(await scene.phase("run-0"), "DELIVERED");
    assert.equal((await scene.state("a"))?.nodeId, "node");
    assert.deepEqual(await entryIds(scene), ["run-0", "a"]);
    // What was answered is what would have been read.
    const granted = { accountId: "account", messageId: "a", fence: 1 };
    const [read] = await scene.store.leased([{ ...granted, host: "example.test", attempts: 0 }]);
    assert.deepEqual(read?.message, made);
  });

  promise("without a node, what follows waits in its line", async (scene) => {
    const first = await started(scene);
    const plans = [1, 2].map((step) => anItem(`plan-${step}`, step, { kind: "plan" }));
    await scene.act(reply(first, steps(...plans)));
    assert.deepEqual((await scene.claimIds()).toSorted(), ["plan-1", "plan-2"]);
  });

  promise("a reply to a lease that is no longer held changes nothing", async (scene) => {
    const first = await started(scene);
    assert.equal(await scene.retry(first, 0), "settled");
    const [again] = await scene.claim();
    const late = reply(first, steps(anItem("late", 1)));
    assert.deepEqual(await scene.act(late), { kind: "stale" });
    assert.deepEqual(await scene.act(reply(first, END)), { kind: "stale" });
    assert.deepEqual(await entryIds(scene), ["run-0"]);
    const answer = await scene.act(reply(again!, steps(anItem("heard", 1))));
    assert.equal(answer.kind, "settled");
    assert.deepEqual(await entryIds(scene), ["run-0", "heard"]);
  });

  promise("a step that was submitted is not taken again from a reply", async (scene) => {
    const first = await started(scene);
    await scene.act({ rule: "append", at: scene.now, ref: refOf(), items: [anItem("a", 1)] });
    const answer = await scene.act(reply(first, steps(anItem("b", 1, { nodeId: "node" }))));
    assert.ok(answer.kind === "settled");
    assert.deepEqual(answer.items, [{ messageId: "a", deduplicated: true, leased: false }]);
    assert.equal(await scene.phase("run-0"), "DELIVERED");
    assert.equal(await scene.state("b"), null);
  });

  promise("a run that has ended takes nothing more, and its delivery is over", async (scene) => {
    const first = await started(scene);
    await scene.act(anEnd(scene.now, "canceled"));
    const answer = await scene.act(reply(first, steps(anItem("a", 1))));
    assert.deepEqual(answer, { kind: "settled", items: [] });
    assert.equal(await scene.phase("run-0"), "DELIVERED");
    assert.deepEqual(await entryIds(scene), ["run-0"]);
  });

  promise(
    "a reply that ends its run keeps what was returned, and drops the rest",
    async (scene) => {
      const first = await started(scene);
      await scene.act({ rule: "append", at: scene.now, ref: refOf(), items: [anItem("idle", 1)] });
      const answer = await scene.act(reply(first, END));
      assert.deepEqual(answer, { kind: "settled", items: [] });
      const stored = await scene.store.reader.runs.get(KEY);
      assert.equal(stored?.state.phase, "success");
      assert.equal(textOf(stored.response!), '"replied"');
      assert.equal(await scene.phase("run-0"), "DELIVERED");
      assert.equal(await scene.phase("idle"), "CANCELED");
      assert.equal(await scene.state("run-0"), null);
    },
  );

  promise("the end and a settlement of one lease in a group: the first counts", async (scene) => {
    const first = await started(scene);
    const [ended, again] = await Promise.all([
      scene.act(reply(first, END)),
      scene.act(reply(first, steps(anItem("a", 1)))),
    ]);
    assert.deepEqual([ended, again], [{ kind: "settled", items: [] }, { kind: "stale" }]);
    assert.deepEqual(await entryIds(scene), ["run-0"]);
  });

  promise("what is more than a run may hold leaves its delivery under way", async (scene) => {
    const first = await started(scene);
    const many = Array.from({ length: ENTRIES_MAX }, (_, n) => anItem(`plan-${n}`, n + 1));
    const answer = await scene.act(reply(first, steps(...many)));
    assert.deepEqual(answer, { kind: "too-much", what: "entries" });
    assert.equal((await scene.state("run-0"))?.phase, "active");
    assert.deepEqual(await entryIds(scene), ["run-0"]);
  });
});

async function started(scene: Scene): Promise<LeasedMessage> {
  await scene.act(aStart());
  const [first] = await scene.claim();
  return first!;
}

function steps(...items: Extract<RunReply, { kind: "steps" }>["items"]): RunReply {
  return { kind: "steps", items };
}

function reply({ lease }: LeasedMessage, given: RunReply): ReplyAct {
  const attempt = anAttempt({ messageId: lease.messageId, accountId: lease.accountId });
  return { rule: "reply", at: START_AT + 1, lease, attempt, ref: KEY, reply: given };
}

async function entryIds({ store }: Scene): Promise<string[]> {
  return (await store.reader.runs.entries(KEY)).map(({ messageId }) => messageId);
}
