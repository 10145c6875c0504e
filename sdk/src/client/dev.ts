import type { ClockLeap, DevClock } from "../answers/dev.ts";
import { type Duration, durationText } from "../duration.ts";
import type { Transport } from "../transport.ts";

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

  #move(request: object): Promise<ClockLeap> {
    return this.#transport.json({
      method: "POST",
      path: "/dev/clock",
      isOnce: true,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
  }
}
