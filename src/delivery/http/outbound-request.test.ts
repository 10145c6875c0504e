import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage } from "../../../test/support/messages.ts";
import { addedHeaders, outboundHeaders } from "./outbound-request.ts";

const RUN = { runId: "wfr_1", createdAt: 17, workflowUrl: "https://example.com/ü b" };
const RUN_NAMES = ["Workflow-RunId", "Workflow-CreatedAt", "Workflow-Url"];

/** The values by name, as an endpoint would see them. */
function sent(fields: object, retried = 0): Record<string, string> {
  const message = aMessage({ headers: [], ...fields });
  const { list, problem } = outboundHeaders(message, retried, "signed", "EU-1");
  assert.equal(problem, null);
  const names = list.filter((_, index) => index % 2 === 0);
  assert.equal(new Set(names).size, names.length, "a name is sent twice");
  return Object.fromEntries(names.map((name, index) => [name, list[2 * index + 1]!]));
}

function runNames(kind: string): string[] {
  return Object.keys(sent({ kind, run: RUN })).filter((name) => name.startsWith("Svc-Workflow-"));
}

test("only a step names its protocol, and a call to a third party nothing of its run", () => {
  const ofRun = RUN_NAMES.map((name) => `Svc-${name}`);
  const ofStep = [...ofRun, "Svc-Workflow-Sdk-Version", "Svc-Workflow-Reply"];
  assert.deepEqual(runNames("step"), ofStep);
  assert.deepEqual(runNames("callback"), ofRun);
  assert.deepEqual(runNames("failure-call"), ofRun);
  assert.deepEqual(runNames("call"), []);
});

test("the publisher's headers come first, then ours in their order", () => {
  const headers = [["X-Mine", "1"]] as const;
  const message = aMessage({ headers, messageId: "msg_1", callerIp: "203.0.113.9" });
  const { list } = outboundHeaders(message, 2, "signed", "EU-1");
  const theirs = ["X-Mine", "1", "User-Agent", "Postrider"];
  const ours = ["Svc-Signature", "signed", "Svc-Message-Id", "msg_1", "Svc-Retried", "2"];
  const rest = ["Svc-Caller-Ip", "203.0.113.9", "Svc-Region", "EU-1", "Svc-Hop", "1"];
  assert.deepEqual(list, [...theirs, ...ours, ...rest]);
});

test("a URL of a run keeps its meaning in a header", () => {
  const headers = sent({ kind: "step", run: RUN });
  assert.equal(headers["Svc-Workflow-Url"], "https://example.com/%C3%BC%20b");
  assert.equal(headers["Svc-Workflow-CreatedAt"], "17");
  assert.equal(headers["Svc-Workflow-Sdk-Version"], "1");
  assert.equal(headers["Svc-Workflow-Reply"], "1");
});

test("a header that the delivery has of its own is never the publisher's, with either prefix", () => {
  const own = ["Signature", "Message-Id", "Retried", "Caller-Ip", "Region", "Hop"];
  for (const name of [...own, "Topic-Name", "Schedule-Id"]) {
    for (const prefix of ["Svc-", "svc-", "Upstash-", "UPSTASH-"]) {
      const values = Object.values(sent({ headers: [[`${prefix}${name}`, "forged"]] }));
      assert.ok(!values.includes("forged"), `${prefix}${name}`);
    }
  }
  assert.equal(sent({ headers: [["X-Signature", "theirs"]] })["X-Signature"], "theirs");
});

function forged(kind: string, name: string, ofRun: object = { run: RUN }): boolean {
  const headers = sent({ kind, ...ofRun, headers: [[name, "forged"]] });
  return Object.values(headers).includes("forged");
}

test("a run's own headers win, except in a call to a third party", () => {
  for (const name of [...RUN_NAMES, "Workflow-Reply"]) {
    assert.ok(!forged("callback", `Upstash-${name}`), name);
    assert.ok(forged("call", `Upstash-${name}`), name);
    assert.ok(forged("message", `Upstash-${name}`, {}), name);
  }
  assert.ok(!forged("step", "Upstash-Workflow-Sdk-Version"));
  assert.ok(forged("step", "Upstash-Workflow-Another"));
  assert.ok(forged("failure-call", "Upstash-Workflow-Sdk-Version"));
});

test("names are sent only where there are any, encoded where a header could not hold them", () => {
  const plain = sent({}, 3);
  assert.equal(plain["Svc-Topic-Name"], undefined);
  assert.equal(plain["Svc-Schedule-Id"], undefined);
  assert.equal(plain["Svc-Retried"], "3");
  assert.equal(plain["Svc-Hop"], "1");
  const named = sent({ urlGroup: "日本", scheduleId: "a\nb", hops: 4 });
  assert.equal(named["Svc-Topic-Name"], "%E6%97%A5%E6%9C%AC");
  assert.equal(named["Svc-Schedule-Id"], "a%0Ab");
  assert.equal(named["Svc-Hop"], "5");
});

test("half a character is no reason to send nothing", () => {
  const named = sent({
    urlGroup: "a\ud800",
    kind: "step",
    run: { ...RUN, workflowUrl: "http://a/\udc00" },
  });
  assert.equal(named["Svc-Topic-Name"], "a%EF%BF%BD");
  assert.equal(named["Svc-Workflow-Url"], "http://a/%EF%BF%BD");
});

test("a publisher's own User-Agent is the only one", () => {
  const { list } = outboundHeaders(aMessage({ headers: [["user-agent", "mine"]] }), 0, "", "");
  const names = list.filter((_, index) => index % 2 === 0);
  assert.deepEqual(
    names.filter((name) => /^user-agent$/i.test(name)),
    ["user-agent"],
  );
});

test("what is added is told without the publisher's own and what each attempt has of its own", () => {
  const headers: [string, string][] = [
    ["X-Mine", "1"],
    ["USER-AGENT", "mine"],
  ];
  const added = Object.keys(addedHeaders(aMessage({ headers }), "EU-1"));
  assert.deepEqual(added, ["Svc-Message-Id", "Svc-Caller-Ip", "Svc-Region", "Svc-Hop"]);
});

test("a header that cannot be sent stops the delivery, and no part of it is sent", () => {
  const message = aMessage({
    headers: [
      ["X-Good", "1"],
      ["X-Bad", "a\nb"],
    ],
  });
  const { list, problem } = outboundHeaders(message, 0, "signed", "EU-1");
  assert.deepEqual(list, []);
  assert.match(problem ?? "", /X-Bad/);
});
