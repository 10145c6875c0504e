import type { ClockLeap, DevClock, Simulation } from "../answers/dev.ts";
import { type Duration, durationText } from "../duration.ts";
import type { Call, Transport } from "../transport.ts";

/** What only a server of `postrider dev` has. */
export class Dev {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** What its clock shows. */
  clock(): Promise<DevClock> {
    return this.#transport.json({ method: "GET", path: "/dev/clock" });
  }

  /** Puts its clock forward. What comes due on the way is done at its time. */
  advance(duration: Duration): Promise<ClockLeap> {
    return this.#move({ advance: durationText(duration) });
  }

  /** Puts its clock forward to the next time of a schedule. */
  advanceToSchedule(scheduleId: string): Promise<ClockLeap> {
    return this.#move({ schedule: scheduleId });
  }

  /** What the rules would do with a message, a schedule, or a queue or key; see `/docs`. */
  simulate(request: object): Promise<Simulation> {
    return this.#transport.json(jsonCall("/dev/simulate", request));
  }

  #move(request: object): Promise<ClockLeap> {
    return this.#transport.json({ ...jsonCall("/dev/clock", request), isOnce: true });
  }
}

function jsonCall(path: string, request: object): Call {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", path, headers, body: JSON.stringify(request) };
}
