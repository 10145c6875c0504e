import type { Room } from "../../../core/model/line/line.ts";
import type { Line, LineState } from "./line-look.ts";

/** What a claim did with a line that it holds. */
export interface LineVisit {
  readonly line: Line;
  readonly room: Room;
  /** How many it asked of the line. */
  readonly asked: number;
  readonly took: number;
  /** Some were left behind that may go at another time or on another node. */
  readonly passedOver: boolean;
  /** What was true of the line afterwards. */
  readonly left: LineState;
}
