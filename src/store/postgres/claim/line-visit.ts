import type { Room } from "../../../core/model/line/line.ts";
import type { Line, LineState } from "./line-state.ts";

/** What a claim did with a line that it locked. */
export interface LineVisit {
  readonly line: Line;
  readonly room: Room;
  /** How many messages it wanted from the line. */
  readonly asked: number;
  readonly took: number;
  /** Messages were left that may be sent later or by another node. */
  readonly passedOver: boolean;
  /** The line's state afterwards. */
  readonly left: LineState;
}
