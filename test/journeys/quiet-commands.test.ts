/** With --quiet a command prints ids, a number for --dry-run, or nothing, and nothing else on either stream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { journeys } from "../support/journeys.ts";
import { Terminal } from "../support/terminal.ts";

const MESSAGE = /^msg_\w+\n$/;
const RUN = /^wfr_[\w-]+\n$/;
const NOTHING = /^$/;

journeys("quiet commands", {}, (journey) => {
  test("what names a thing prints its id, what makes one the new id, and what changes one nothing", async (t) => {
    const { service, destination } = journey;
    const { url } = destination;
    const terminal = new Terminal(freshFolder(t), {
      POSTRIDER_URL: service.url,
      POSTRIDER_TOKEN: service.token,
    });
    const prints = async (words: readonly string[], expected: RegExp): Promise<string> => {
      const { output, errors } = await terminal.run([...words, "--quiet"]);
      assert.match(output, expected, words.join(" "));
      assert.equal(errors, "", words.join(" "));
      return output.trim();
    };
    destination.respond = ({ url: path }) => ({ status: path.startsWith("/fail") ? 500 : 200 });

    const later = ["publish", `${url}/later`, "--delay", "1h", "--flow-key", "key", "--rate", "1"];
    const [waiting, failed, run] = await Promise.all([
      prints([...later, "--label", "later"], MESSAGE),
      prints(["publish", `${url}/fail`, "--retries", "0"], MESSAGE),
      prints(["trigger", `${url}/fail`, "--retries", "0"], RUN),
      prints(["groups", "add", "news", `${url}/one`], NOTHING),
      prints(["groups", "add", "news", `${url}/two`], NOTHING),
    ]);
    await until(
      async () => (await service.list("/v2/dlq", "messages")).length === 1,
      "a dead letter",
    );
    const letter = await prints(["dlq", "list"], /^\d+-\d+\n$/);
    await Promise.all([
      prints(["show", waiting.slice(-8)], new RegExp(`^${waiting}\n$`)),
      prints(["show", letter], new RegExp(`^${letter}\n$`)),
      prints(["show", run], new RegExp(`^${run}\n$`)),
      prints(["flow", "show", "key"], /^key\n$/),
      prints(["queues", "set", "mail"], NOTHING),
      prints(["schedules", "create", "news", "0 0 1 1 *", "--id", "yearly"], /^yearly\n$/),
      prints(["dlq", "retry", "--all", "--dry-run"], /^1\n$/),
      prints(["retry", waiting, run, "--dry-run"], /^2\n$/),
      prints(["cancel", "--label", "later", "--dry-run"], /^1\n$/),
      prints(["notify", "nothing"], NOTHING),
      prints(["status"], NOTHING),
    ]);
    await Promise.all([
      prints(["queues", "show", "mail"], /^mail\n$/),
      prints(["schedules", "show", "yearly"], /^yearly\n$/),
      prints(["schedules", "run", "yearly"], /^msg_\w+\nmsg_\w+\n$/),
      prints(["runs", "resume", run], RUN),
      prints(["cancel", "--label", "later", "--yes"], NOTHING),
      prints(["tokens", "add", "ci"], /^\S+\n$/),
    ]);
    const again = await prints(["dlq", "retry", failed, "--yes"], MESSAGE);
    assert.notEqual(again, failed);
    await prints(["queues", "delete", "mail", "--yes"], NOTHING);
  });
});
