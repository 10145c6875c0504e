/** Loaded before a node: it is an hour later, with the same machine and the same database. */
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { SharedClock } from "../../src/platform/due-time-clock.ts";

const LATER_MS = 3_600_000;

const usual: Clock = { ...systemClock };
const later: Pick<Clock, "now" | "wall"> = {
  now: () => usual.now() + LATER_MS,
  wall: () => usual.wall() + LATER_MS,
};
Object.assign(systemClock, later);
// The database keeps the time of the machine.
SharedClock.prototype.observe = (readAt) => readAt;
