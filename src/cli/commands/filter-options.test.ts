import assert from "node:assert/strict";
import { test } from "node:test";
import { Flags } from "../flags.ts";
import { runFilter } from "./filter-options.ts";

test("every value of a repeated option is asked for", () => {
  const { workflowUrl, flowControlKey } = runFilter(
    new Flags({ url: ["a", "b"], key: ["c", "d"] }),
  );
  assert.deepEqual(
    [workflowUrl, flowControlKey],
    [
      ["a", "b"],
      ["c", "d"],
    ],
  );
});
