import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { aMessage, START_AT } from "../../../test/support/messages.ts";
import type { LogEntry, LogState } from "../model/message/log-entry.ts";
import type { Message, MessageKind } from "../model/message/message.ts";
import type { EntryKind, RunEntry, RunState, MessageHistory } from "../model/workflow/run.ts";
import type { StepGroup, StepRecord } from "../model/workflow/run-log.ts";
import { runEvents } from "./run-events.ts";
import { failureLog, stepGroups } from "./run-log.ts";

const KEY = { accountId: "account", runId: "wfr_1", createdAt: START_AT };
const NOW = START_AT + 10_000;

/** A run whose entries and messages are added one by one. */
class Story {
  readonly entries: RunEntry[] = [];
  readonly messages: MessageHistory[] = [];
  readonly invoked = [];
  state: RunState = {
    ...KEY,
    phase: "started",
    nextOrdinal: 0,
    bytes: 0,
    storedEvents: 0,
    endedAt: null,
    failure: null,
    run: {
      ...KEY,
      workflowUrl: "https://app.test/flow",
      dialect: "svc",
      headers: [["X-Own", "yes"]],
      settings: { timeoutMs: 1_000, retries: 3 },
      callerIp: "192.0.2.1",
      features: { lazyFetch: true, detectTrigger: true, inheritsSettings: true },
    },
  };

  /** Adds an entry and its message, whose log has these states. */
  add(kind: EntryKind, body: object | null, states: LogState[], fields: Partial<Message> = {}) {
    const ordinal = this.entries.length;
    const messageId = `m${ordinal}`;
    this.entries.push({
      ...KEY,
      ordinal,
      kind,
      messageId,
      stepKey: null,
      at: START_AT + ordinal,
      body: new TextEncoder().encode(body === null ? "" : JSON.stringify(body)),
    });
    if (kind !== "wait" && kind !== "invoke") {
      const sent: MessageKind = kind === "call" || kind === "call-result" ? kind : "step";
      this.send({ messageId, kind: sent, run: this.#entryAt(ordinal), ...fields }, states);
    }
    return this;
  }

  send(fields: Partial<Message>, states: LogState[]) {
    const message = aMessage(fields);
    const { accountId, messageId } = message;
    let number = 0;
    const log = states.map((state, index) => {
      const tells = state === "ERROR" || state === "DELIVERED";
      if (tells) number += 1;
      const at = START_AT + index;
      const nextAt = state === "RETRY" ? NOW + 5_000 : undefined;
      const entry: LogEntry = { accountId, messageId, at, state, attempt: number, nextAt };
      const status = state === "ERROR" ? 500 : 200;
      const answer = { startedAt: at, endedAt: at, status, headers: "[]", body: new Uint8Array(0) };
      return { entry, attempt: tells ? { accountId, messageId, number, ...answer } : null };
    });
    this.messages.push({ message, body: new Uint8Array(0), log });
    return this;
  }

  ends(phase: "success" | "failed" | "canceled", failedId?: string) {
    const failure =
      failedId === undefined
        ? null
        : {
            deadLetter: { diedAt: NOW, number: 1 },
            messageId: failedId,
            call: { messageId: "report", state: "success" as const },
          };
    this.state = { ...this.state, phase, endedAt: NOW, failure };
    return this;
  }

  get groups(): StepGroup[] {
    return stepGroups(this.state, this, NOW);
  }

  /** Type, and of each step its id or name and its state. */
  get outline(): string[] {
    return this.groups.map(({ type, steps }) => {
      const shown = steps.map((step) =>
        step.stepName === undefined ? step.state : `${step.stepName} ${step.state}`,
      );
      return `${type}: ${shown.join(", ")}`;
    });
  }

  step(group: number, index = 0): StepRecord {
    return this.groups[group]?.steps[index] as StepRecord;
  }

  #entryAt(ordinal: number) {
    const { runId, createdAt } = KEY;
    return { runId, createdAt, workflowUrl: this.state.run.workflowUrl, ordinal };
  }
}

const SENT: LogState[] = ["CREATED", "DELIVERED"];
const started = (): Story => new Story().add("payload", { n: 1 }, SENT);
const run = (stepId: number, name: string) => ({
  stepId,
  stepName: name,
  stepType: "Run",
  out: `"${name}"`,
  concurrent: 1,
});
const plan = (targetStep: number, name: string, type = "Run") => ({
  stepId: 0,
  stepName: name,
  stepType: type,
  concurrent: 2,
  targetStep,
});

describe("the groups of a run", () => {
  test("a run that has just been started is its payload, and what is under way", () => {
    const story = new Story().add("payload", { n: 1 }, ["CREATED"]);
    assert.deepEqual(story.outline, ["sequential: init STEP_SUCCESS", "next: STEP_PROGRESS"]);
    const init = story.step(0);
    assert.equal(init.stepId, undefined);
    assert.equal(init.out, '{"n":1}');
    assert.deepEqual(init.headers, [["X-Own", "yes"]]);
  });

  test("a step that is known has ended; the next one is under way", () => {
    const story = started().add("result", run(1, "one"), ["CREATED"]);
    assert.deepEqual(story.outline, [
      "sequential: init STEP_SUCCESS",
      "sequential: one STEP_SUCCESS",
      "next: STEP_PROGRESS",
    ]);
    assert.equal(story.step(1).out, '"one"');
  });

  test("a run that has come to its end has nothing under way", () => {
    const story = started().add("result", run(1, "one"), ["CREATED"]).ends("success");
    assert.deepEqual(story.outline, [
      "sequential: init STEP_SUCCESS",
      "sequential: one STEP_SUCCESS",
    ]);
  });

  test("a step that is tried again says when, and what went wrong", () => {
    const story = started().add("result", run(1, "one"), ["CREATED", "ERROR", "RETRY"]);
    const [next] = story.groups[2]?.steps ?? [];
    assert.equal(next?.state, "STEP_RETRY");
    assert.equal(next?.nextDeliveryAt, NOW + 5_000);
    assert.deepEqual(
      next?.errors.map(({ status }) => status),
      [500],
    );
  });

  test("what a run failed with is the last group", () => {
    const story = started()
      .add("result", run(1, "one"), ["CREATED", "ERROR", "FAILED"])
      .ends("failed", "m1");
    assert.deepEqual(story.outline.slice(1), ["sequential: one STEP_SUCCESS", "next: STEP_FAILED"]);
  });

  test("steps side by side stand together from when they are planned", () => {
    const story = started().add("plan", plan(1, "a"), ["CREATED"]).add("plan", plan(2, "b"), SENT);
    assert.deepEqual(story.outline.slice(1), ["parallel: a STEP_PROGRESS, b STEP_PROGRESS"]);
    assert.equal(story.step(1).stepId, 1);
    assert.equal(story.step(1).out, undefined);
    story.add("result", { ...run(2, "b"), concurrent: 2 }, ["CREATED"]);
    assert.deepEqual(story.outline.slice(1), ["parallel: a STEP_PROGRESS, b STEP_SUCCESS"]);
    story.add("result", { ...run(1, "a"), concurrent: 2 }, ["CREATED"]);
    assert.deepEqual(story.outline.slice(1), [
      "parallel: a STEP_SUCCESS, b STEP_SUCCESS",
      "next: STEP_PROGRESS",
    ]);
  });

  test("a branch that fails is marked where it stands, and the other one is canceled", () => {
    const story = started()
      .add("plan", plan(1, "a"), ["CREATED", "ERROR", "FAILED"])
      .add("plan", plan(2, "b", "SleepFor"), ["CREATED", "CANCELED"])
      .ends("failed", "m1");
    assert.deepEqual(story.outline.slice(1), ["parallel: a STEP_FAILED, b STEP_CANCELED"]);
    assert.equal(story.step(1).errors.length, 1);
  });

  test("a sleep goes on until the endpoint is called again", () => {
    const sleep = { stepId: 1, stepName: "nap", stepType: "SleepFor", sleepFor: 60, concurrent: 1 };
    const notBefore = NOW + 60_000;
    const story = started().add("result", sleep, ["CREATED"], { notBefore });
    assert.deepEqual(story.outline.slice(1), ["sequential: nap STEP_PROGRESS"]);
    assert.equal(story.step(1).nextDeliveryAt, notBefore);
    assert.equal(story.step(1).sleepForMs, 60_000);
    const over = started().add("result", sleep, ["CREATED"], { notBefore: NOW - 1 });
    assert.deepEqual(over.outline.slice(1), [
      "sequential: nap STEP_SUCCESS",
      "next: STEP_PROGRESS",
    ]);
  });

  test("a call is on its way out, then on its way back, then a step", () => {
    const call = { stepId: 1, stepName: "ask", stepType: "Call", concurrent: 1 };
    const story = started().add("call", call, ["CREATED", "ERROR", "RETRY"], {
      url: "https://third.test/",
      method: "GET",
    });
    assert.equal(story.step(1).callType, "toCallback");
    assert.equal(story.step(1).state, "STEP_RETRY");
    assert.equal(story.step(1).call?.url, "https://third.test/");
    story.messages.pop();
    story.send({ messageId: "m1", kind: "call" }, ["CREATED", "ERROR", "FAILED"]);
    // The failure of a third party is a value, not a failure of the step.
    assert.equal(story.step(1).state, "STEP_PROGRESS");
    assert.equal(story.step(1).call?.answer?.status, 500);
    story.add("call-result", null, ["CREATED"], { headers: [["Svc-Workflow-StepId", "1"]] });
    assert.equal(story.step(1).callType, "fromCallback");
    story.add("result", { ...call, out: "{}" }, ["CREATED"]);
    assert.equal(story.step(1).callType, "step");
    assert.equal(story.step(1).state, "STEP_SUCCESS");
    assert.equal(story.groups.length, 3);
  });

  test("a wait is the last group until its event comes", () => {
    const wait = { stepId: 1, stepName: "w", stepType: "Wait", concurrent: 1, waitEventId: "e" };
    const story = started().add("wait", { ...wait, deadlineAt: NOW + 1 }, []);
    assert.deepEqual(story.outline.slice(1), ["sequential: w STEP_PROGRESS"]);
    assert.equal(story.step(1).waitEventId, "e");
    assert.equal(story.step(1).waitDeadlineAt, NOW + 1);
    const planned = started().add("plan", { ...wait, stepId: 0, targetStep: 1 }, []);
    planned.add("wait", { ...wait, deadlineAt: NOW }, []);
    assert.equal(planned.step(1).waitMs, NOW - planned.step(1).createdAt - 1);
    const out = Buffer.from("told").toString("base64");
    story.add("result", { ...wait, out }, ["CREATED"]);
    assert.equal(story.step(1).out, "told");
    assert.equal(story.step(1).waitTimeout, false);
  });

  test("a run that was invoked goes on when its invoker has failed", () => {
    const invoked = { runId: "wfr_2", createdAt: 5, workflowUrl: "https://app.test/child" };
    const story = started().add(
      "invoke",
      { stepId: 1, stepName: "child", stepType: "Invoke", concurrent: 1, invoked },
      [],
    );
    assert.deepEqual(story.step(1).invoked, { ...invoked, given: undefined });
    story.ends("failed", "elsewhere");
    assert.equal(story.step(1).state, "STEP_PROGRESS");
    story.ends("canceled");
    assert.equal(story.step(1).state, "STEP_CANCELED");
  });

  test("what was under way is canceled with its run", () => {
    const story = started().add("result", run(1, "one"), ["CREATED", "CANCELED"]).ends("canceled");
    assert.deepEqual(story.outline.slice(1), [
      "sequential: one STEP_SUCCESS",
      "next: STEP_CANCELED",
    ]);
  });
});

describe("what else the log of a run tells", () => {
  test("the report of a failure, with what the run failed with", () => {
    const story = started()
      .add("result", run(1, "one"), ["CREATED", "ERROR", "FAILED"])
      .send({ messageId: "report", kind: "failure-call", url: "https://app.test/failed" }, SENT)
      .ends("failed", "m1");
    const failure = failureLog(story.state, story);
    assert.equal(failure?.url, "https://app.test/failed");
    assert.deepEqual([failure?.failed?.status, failure?.answer?.status], [500, 200]);
    assert.equal(failureLog(started().state, started()), null);
  });

  test("events in the order of time, from the start of the run to its end", () => {
    const story = started()
      .add("result", run(1, "one"), ["CREATED", "ERROR", "RETRY", "DELIVERED"])
      .ends("success");
    const events = runEvents(story.state, story, NOW);
    assert.equal(events[0]?.state, "RUN_STARTED");
    assert.equal(events.at(-1)?.state, "RUN_SUCCESS");
    const retried = events.find(({ state }) => state === "STEP_RETRY");
    assert.equal(retried?.attempt?.status, 500);
    assert.equal(retried?.nextDeliveryAt, NOW + 5_000);
    assert.equal((retried?.step as StepRecord | undefined)?.stepName, "one");
  });
});
