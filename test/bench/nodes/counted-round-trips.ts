import { writeFileSync } from "node:fs";

import { Connection } from "pg";

import { countFileOf } from "./round-trips.ts";

/**
 * Loaded before a node: counts how often it waits for its database server. What is sent together
 * ends with one Sync, or is one simple query. The node tells the count when it gets SIGUSR2.
 */
interface Protocol {
  readonly query: (text: string) => void;
  readonly sync: () => void;
}

let roundTrips = 0;
const { query, sync } = Connection.prototype as unknown as Protocol;
Object.assign(Connection.prototype, {
  query(this: Connection, text: string): void {
    roundTrips += 1;
    query.call(this, text);
  },
  sync(this: Connection): void {
    roundTrips += 1;
    sync.call(this);
  },
});

process.on("SIGUSR2", () => writeFileSync(countFileOf(process.pid), `${roundTrips}\n`));
