/** What an earlier program has stored is read by this one as if it had stored it itself. */
import assert from "node:assert/strict";

import { encodeFacts } from "../../src/core/model/message/facts.ts";
import { aMessage, type MessageWish } from "../support/messages.ts";
import { afterEarlierProgram } from "./earlier-program.ts";

/** Before entries were kept together, and attempts with them. */
const APART = {
  before: "log-steps",
  rows: (bytes: (text: string) => string) => `
    ${factsOf(bytes, { messageId: "old" })}
    INSERT INTO log_entries (account_id, number, message_id, at, state, attempt, status, error,
        next_at)
      VALUES ('account', 1, 'old', 1, 'CREATED', NULL, NULL, NULL, NULL),
        ('account', 2, 'old', 1, 'ACTIVE', 1, NULL, NULL, NULL),
        ('account', 3, 'old', 4, 'ERROR', 1, 500, 'no', NULL),
        ('account', 4, 'old', 4, 'RETRY', 1, NULL, NULL, 9),
        ('account', 5, 'old', 9, 'ACTIVE', 2, NULL, NULL, NULL),
        ('account', 6, 'old', 11, 'DELIVERED', 2, 200, NULL, NULL);
    INSERT INTO attempts (account_id, message_id, number, started_at, ended_at, status, error,
        headers, body)
      VALUES ('account', 'old', 1, 2, 3, 500, 'no', '[]', ${bytes("")}),
        ('account', 'old', 2, 9, 10, 200, NULL, '[["A","b"]]', ${bytes("hi")});`,
};

afterEarlierProgram("a log is shown with its attempts", APART, async ({ store }) => {
  const page = { after: null, count: 10, order: "earliestFirst" } as const;
  const { items } = await store.reader.log("account", {}, page);
  const shown = items.map(({ entry, attempt }) => {
    const answer = attempt && `${attempt.startedAt}-${attempt.endedAt} ${attempt.headers}`;
    const body = attempt && Buffer.from(attempt.body).toString();
    return [entry.at, entry.state, entry.status, entry.error, entry.nextAt, answer, body];
  });
  assert.deepEqual(shown, [
    [1, "CREATED", undefined, undefined, undefined, null, null],
    [1, "ACTIVE", undefined, undefined, undefined, null, null],
    [4, "ERROR", 500, "no", undefined, "2-3 []", ""],
    [4, "RETRY", undefined, undefined, 9, null, null],
    [9, "ACTIVE", undefined, undefined, undefined, null, null],
    [11, "DELIVERED", 200, undefined, undefined, '9-10 [["A","b"]]', "hi"],
  ]);
});

/** Before slots were counted from messages: a report holds its queue's slot, and one waits for it. */
const COUNTED = {
  before: "queue-slots",
  rows: (bytes: (text: string) => string) => `
    ${factsOf(bytes, { messageId: "report", rootId: "root" })}
    ${factsOf(bytes, { messageId: "next", queueName: "queue" })}
    INSERT INTO messages (account_id, message_id, phase, attempts, ready_at, line, line_after,
        position, host, bytes, fence, losses, suspect, cancel_requested, root_id)
      VALUES ('account', 'report', 0, 0, 1, 'h:example.test', NULL, NULL, 'example.test', 0, 0, 0,
          FALSE, FALSE, 'root'),
        ('account', 'next', 0, 0, 1, 'q:queue', 'h:example.test', 2, 'example.test', 0, 0, 0,
          FALSE, FALSE, 'next');
    INSERT INTO lines (account_id, line, next_at)
      VALUES ('account', 'h:example.test', 1), ('account', 'q:queue', 1);
    INSERT INTO queue_holds (account_id, root_id, line, pending)
      VALUES ('account', 'root', 'q:queue', 1);`,
};

afterEarlierProgram("a queue's slot is held by whom it was given to", COUNTED, async (scene) => {
  const [report, ...others] = await scene.claim();
  assert.deepEqual([report?.lease.messageId, others], ["report", []]);
  await scene.deliver(report!);
  assert.deepEqual(await scene.claimIds(), ["next"]);
});

/** Before suspects were seen that had gone back into their queue, with nobody to look for them. */
const PARKED = {
  before: "parked-suspects",
  rows: (bytes: (text: string) => string) => `
    ${factsOf(bytes, { messageId: "parked", queueName: "queue" })}
    INSERT INTO messages (account_id, message_id, phase, attempts, ready_at, line, line_after,
        position, host, bytes, fence, losses, suspect, cancel_requested, root_id)
      VALUES ('account', 'parked', 0, 0, 1, 'q:queue', 'h:example.test', 1, 'example.test', 0, 3, 3,
          TRUE, FALSE, 'parked');`,
};

afterEarlierProgram("a suspect in its queue is looked at", PARKED, async (scene) => {
  assert.deepEqual([...(await scene.claimIds()), ...(await scene.claimIds())], ["parked"]);
});

function factsOf(bytes: (text: string) => string, wish: MessageWish): string {
  const message = aMessage({ url: "https://example.test/", ...wish });
  const facts = encodeFacts(message).replaceAll("'", "''");
  return `INSERT INTO facts (account_id, message_id, created_at, facts, body)
    VALUES ('account', '${message.messageId}', 1, '${facts}', ${bytes("")});`;
}
