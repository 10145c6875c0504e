import assert from "node:assert/strict";
import { test } from "node:test";
import { play } from "../../../test/support/play-workflow.ts";
import { type Context, NonRetryableError, RetryAfterError, type ServeOptions } from "../sdk.ts";

test("steps are done once each, in their order, and the run ends with what the function returns", async () => {
  const done: string[] = [];
  const { state, result, steps, statuses } = await play<{ n: number }>(
    async (context) => {
      const one = await context.run("one", () => done.push("one") + context.payload.n);
      const nothing = await context.run("nothing", () => void done.push("nothing"));
      assert.equal(nothing, undefined);
      const two = await context.run("two", async () => ({ one, text: "ä" }));
      return { ...two, runId: context.workflowRunId };
    },
    { payload: '{"n":41}' },
  );
  assert.equal(state, "success");
  assert.deepEqual(result, { one: 42, text: "ä", runId: "wfr_1" });
  assert.deepEqual(done, ["one", "nothing"]);
  assert.deepEqual(steps, ["Run one", "Run nothing", "Run two"]);
  assert.deepEqual(statuses, [200, 200, 200, 200]);
});

test("sleeps are kept by the service, not by the function", async () => {
  const { stub, state, steps, statuses } = await play(async (context, { now }) => {
    await context.sleep("short", 10);
    await context.sleep("long", "1d");
    await context.sleepUntil("until", new Date((now + 200_000) * 1_000));
    await context.run("after", () => "x");
  });
  assert.equal(state, "success");
  assert.deepEqual(steps, ["SleepFor short", "SleepFor long", "SleepUntil until", "Run after"]);
  assert.equal(statuses.length, 5);
  assert.ok(stub.now >= 1_700_000_000 + 86_410);
});

test("steps called at once are planned, done beside each other, and joined once", async () => {
  const { state, result, statuses, stub, steps } = await play(async (context) => {
    const [a, , c] = await Promise.all([
      context.run("a", () => 1),
      context.sleep("b", 5),
      context.run("c", () => 3),
    ]);
    return context.run("sum", () => a + c);
  });
  assert.equal(state, "success");
  assert.equal(result, 4);
  assert.deepEqual(steps, ["Run a", "SleepFor b", "Run c", "Run sum"]);
  // One to plan, three plans, three results of which the last continues, one to finish.
  assert.equal(statuses.length, 8);
  const plans = JSON.parse(stub.calls[0]!.body) as { headers: Record<string, string> }[];
  assert.deepEqual(
    plans.map(({ headers }) => headers["Svc-Delay"]),
    [undefined, "5s", undefined],
  );
});

test("branches of several steps go on side by side", async () => {
  const { state, result } = await play(async (context) => {
    const branch = async (name: string, length: number): Promise<number> => {
      let sum = 0;
      for (let n = 0; n < length; n++) sum += await context.run(`${name}${n}`, () => n);
      return sum;
    };
    return Promise.all([branch("a", 3), branch("b", 1), branch("c", 2)]);
  });
  assert.equal(state, "success");
  assert.deepEqual(result, [3, 0, 1]);
});

test("a step that is not awaited is done all the same", async () => {
  const done: string[] = [];
  const { state, steps } = await play(async (context) => {
    void context.run("forgotten", () => done.push("forgotten"));
    return "end";
  });
  assert.equal(state, "success");
  assert.deepEqual(done, ["forgotten"]);
  assert.deepEqual(steps, ["Run forgotten"]);
});

test("so is a chain of steps that is not awaited", async () => {
  const done: string[] = [];
  const { state } = await play(async (context) => {
    void context
      .run("first", () => done.push("first"))
      .then(() => context.run("second", () => done.push("second")));
  });
  assert.equal(state, "success");
  assert.deepEqual(done, ["first", "second"]);
});

test("a step that throws is tried again, and catch blocks of the function do not see it", async () => {
  let tries = 0;
  const { state, result, statuses } = await play(async (context) => {
    try {
      return await context.run("flaky", () => {
        tries++;
        assert.equal(context.attempt, tries);
        if (tries < 3) throw new Error("not yet");
        return tries;
      });
    } catch {
      return "caught";
    }
  });
  assert.equal(state, "success");
  assert.equal(result, 3);
  assert.deepEqual(statuses, [500, 500, 200, 200]);
});

test("a run that fails for good has its failure function called with what is known", async () => {
  const told: unknown[] = [];
  const { state, stub } = await play<{ order: number }>(
    async (context) => {
      await context.run("pay", () => {
        throw new TypeError("no money");
      });
    },
    {
      payload: '{"order":7}',
      retries: 1,
      serve: {
        onFailure: ({ payload, status, message, runId, dlqId }) => {
          told.push({ payload, status, message, runId, dlqId });
          return "handled";
        },
      },
    },
  );
  assert.equal(state, "failed");
  const expected = { payload: { order: 7 }, status: 500, message: "no money" };
  assert.deepEqual(told, [{ ...expected, runId: "wfr_1", dlqId: "1-1" }]);
  assert.equal(stub.deliveries[0]?.headers.get("Svc-Error-Step-Name"), "pay");
  assert.deepEqual(JSON.parse(stub.deliveries.at(-1)?.body ?? ""), { result: "handled" });
});

test("without a failure function the endpoint says that there is none", async () => {
  const { stub } = await play(
    (context) => context.run("x", () => Promise.reject(new Error("no"))),
    { retries: 0 },
  );
  const { status, headers } = stub.deliveries.at(-1)!;
  assert.equal(status, 200);
  assert.equal(headers.get("Svc-Workflow-Failure-Callback-Notfound"), "true");
});

test("errors can say that a retry is no use, or when it is", async () => {
  const hopeless = await play(async (context) => {
    await context.run("hopeless", () => {
      throw new NonRetryableError("never");
    });
  });
  assert.equal(hopeless.state, "failed");
  assert.deepEqual(hopeless.statuses, [489, 200]);
  assert.equal(hopeless.stub.deliveries[0]?.headers.get("Svc-NonRetryable-Error"), "true");
  const later = await play(
    async (context) => {
      await context.run("later", () => {
        throw new RetryAfterError("busy", "90s");
      });
    },
    { retries: 0 },
  );
  assert.equal(later.statuses[0], 429);
  assert.equal(later.stub.deliveries[0]?.headers.get("Retry-After"), "90s");
});

test("a function that returns before its first step refuses the request", async () => {
  const { state, statuses } = await play(async () => "unauthorised", { retries: 1 });
  assert.equal(state, "failed");
  assert.deepEqual(statuses, [400, 400, 200]);
});

test("a run can be cancelled from inside, and nothing after it is done", async () => {
  const done: string[] = [];
  const { state } = await play(async (context) => {
    await context.run("first", () => done.push("first"));
    await context.cancel();
    await context.run("second", () => done.push("second"));
  });
  assert.equal(state, "canceled");
  assert.deepEqual(done, ["first"]);
});

test("a result that is no JSON fails the run at once and says which step it was", async () => {
  const { state, stub, statuses } = await play(async (context) => {
    await context.run("big", () => 10n);
  });
  assert.equal(state, "failed");
  assert.deepEqual(statuses, [489, 200]);
  assert.match(
    stub.deliveries[0]?.body ?? "",
    /result of step \\"big\\" cannot be written as JSON/,
  );
});

test("a return value that is no JSON, or that the service does not take, fails the run at once", async () => {
  const odd = await play(async (context) => {
    await context.run("x", () => 1);
    return 10n;
  });
  assert.equal(odd.state, "failed");
  assert.match(odd.stub.deliveries[1]?.body ?? "", /what the function returned cannot/);
  const large = await play(
    async (context) => {
      await context.run("x", () => 1);
      return "large";
    },
    { resultBytesMax: 5 },
  );
  assert.equal(large.state, "failed");
  assert.deepEqual(large.statuses, [200, 489, 200]);
});

test("a step that the service refuses for good fails the run at once", async () => {
  const { state, statuses } = await play((context) => context.run("x", () => "too long"), {
    stepBytesMax: 5,
  });
  assert.equal(state, "failed");
  assert.deepEqual(statuses, [489, 200]);
});

test("a run too large to be sent is asked for, up to the delivered step", async () => {
  const { state, result, stub } = await play(
    async (context) => {
      const texts = await Promise.all(
        ["a", "b", "c"].map((name) => context.run(name, () => name.repeat(400))),
      );
      return context.run("length", () => texts.join("").length);
    },
    { lazyBytes: 500 },
  );
  assert.equal(state, "success");
  assert.equal(result, 1_200);
  assert.ok(stub.calls.some(({ method }) => method === "GET"));
});

test("payloads are JSON, else text, else nothing, or what the options make of them", async () => {
  assert.deepEqual(await seen('{"a":"ü"}'), [{ a: "ü" }]);
  assert.deepEqual(await seen("plain ü"), ["plain ü"]);
  assert.deepEqual(await seen(""), [null]);
  assert.deepEqual(await seen("1,2", { parsePayload: (text) => text.split(",") }), [["1", "2"]]);
});

async function seen(payload: string, options: ServeOptions<unknown> = {}): Promise<unknown> {
  const { result } = await play(see, { payload, serve: options });
  return result;
}

async function see(context: Context): Promise<unknown> {
  return context.run("see", () => [context.payload]);
}

test("a payload that the schema refuses fails the run at once", async () => {
  const { state, statuses, stub } = await play((context) => context.run("x", () => 1), {
    payload: "x",
    serve: {
      schema: { "~standard": { validate: () => ({ issues: [{ message: "must be a number" }] }) } },
    },
  });
  assert.equal(state, "failed");
  assert.deepEqual(statuses, [489, 200]);
  assert.match(stub.deliveries[0]?.body ?? "", /must be a number/);
});

test("an endpoint that is verbose tells what came and what it answered, and no more", async (t) => {
  const { mock } = t.mock.method(console, "log", () => {});
  let tries = 0;
  await play(
    (context) =>
      context.run("flaky", () => {
        if (++tries === 1) throw new Error("not yet");
        return "secret";
      }),
    { payload: "secret", serve: { verbose: true } },
  );
  const lines = mock.calls.map((call) => String(call.arguments[0]));
  assert.match(lines[0] ?? "", /^workflow wfr_\w+: step answered 500 .*not yet/);
  assert.match(lines[1] ?? "", /^workflow wfr_\w+: step answered 200$/);
  assert.ok(!lines.some((line) => line.includes("secret")));
});
