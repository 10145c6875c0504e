import assert from "node:assert/strict";
import { test } from "node:test";

import type { Client } from "pg";

import { postgresMissing } from "../../support/postgres-url.ts";
import type { Scene } from "../scene.ts";
import { withMeasuredStore } from "./measured-store.ts";

/** A plan is kept from the sixth time on. */
export const PLANNED_AFTER = 8;
/** Reading all that an account has of anything takes more. */
const PAGES_MAX = 60;

type Play = (scene: Scene, name: string) => Promise<void>;

/** What is done while plans are made, and again once there is much. */
export interface Days {
  /** Comes before each day on which plans are made. */
  readonly early?: Play;
  readonly late?: Play;
  readonly day: Play;
  readonly crowd: (scene: Scene) => Promise<void>;
}

/** What the server knows of its tables when much comes; KEPT_PLANS=full, as in `npm run prove`, tries all. */
const BELIEFS = {
  "made for empty tables": "SELECT",
  // As the server does by itself, when it pleases.
  "made for few rows that were counted": "ANALYZE",
  "made for tables that were emptied when they were counted": `UPDATE pg_class
    SET reltuples = 0, relpages = 1000 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
};

/** `sample` is the belief that is tried in every test run: the one that known defects do not survive. */
export function goesByKeys(of: string, sample: keyof typeof BELIEFS, days: Days): void {
  const isFull = process.env["KEPT_PLANS"] === "full";
  for (const [name, belief] of Object.entries(BELIEFS)) {
    if (!isFull && name !== sample) continue;
    test(`${of}: plans ${name} go by keys in full ones`, { skip: postgresMissing() }, () =>
      withMeasuredStore(async ({ scene, client }) => {
        const costs = await costsOfLateDay(scene, client, belief, days);
        assert.ok(costs.length > 30, `${costs.length} statements`);
        assert.deepEqual(
          costs.filter(({ pages }) => pages > PAGES_MAX),
          [],
        );
      }),
    );
  }
}

interface Cost {
  readonly query: string;
  readonly pages: number;
}

/** The pages that each statement reads when it is asked, once there is much of everything. */
async function costsOfLateDay(
  scene: Scene,
  client: Client,
  belief: string,
  { early, late, day, crowd }: Days,
): Promise<Cost[]> {
  await scene.addAccount("account");
  for (let count = 0; count < PLANNED_AFTER; count++) {
    await early?.(scene, `early-${count}`);
    await day(scene, `early-${count}`);
  }
  await client.query(belief);
  await day(scene, "believed");
  await crowd(scene);
  await client.query("SELECT pg_stat_statements_reset()");
  await late?.(scene, "late");
  await day(scene, "late");
  const { rows } = await client.query<Cost>(
    `SELECT query, ((shared_blks_hit + shared_blks_read) / calls)::int AS pages
     FROM pg_stat_statements WHERE query !~ 'pg_stat' ORDER BY pages DESC`,
  );
  return rows;
}
