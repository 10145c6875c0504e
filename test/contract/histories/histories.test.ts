/**
 * Random histories on every store, held against the model. POSTRIDER_HISTORIES=full plays as many
 * as `npm run prove`; POSTRIDER_SEED plays those of another seed.
 */
import { test } from "node:test";

import { STORES } from "../../support/stores.ts";
import { HISTORIES, runHistories, SAMPLE_SEED } from "./run-histories.ts";

const counts = HISTORIES[process.env["POSTRIDER_HISTORIES"] === "full" ? "full" : "sample"];
const seed = Number(process.env["POSTRIDER_SEED"] ?? SAMPLE_SEED);

for (const kind of STORES) {
  const histories = counts[kind.name] ?? 1;
  const name = `${histories} histories on ${kind.name} read like the model's, seed ${seed}`;
  test(name, { skip: kind.skip }, async (t) => {
    t.diagnostic(await runHistories(kind, { histories, seed }));
  });
}
