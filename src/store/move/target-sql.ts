import { NEED_PIECES_SQL } from "../schema.ts";

/** What both databases keep of a move in its target, in one row. */

/** `mover` is the process that writes; `oldest_program` is what the schema has for services. */
export const CREATE_PROGRESS_SQL =
  "CREATE TABLE move_progress (mover text NOT NULL, record text NOT NULL, oldest_program integer NOT NULL)";
export const START_PROGRESS_SQL =
  "INSERT INTO move_progress SELECT '', '', oldest_program FROM schema_info";
export const TAKE_SQL = "UPDATE move_progress SET mover = $1";
/** Changes no row when another process has begun to write. */
export const KEEP_PROGRESS_SQL = "UPDATE move_progress SET record = $1 WHERE mover = $2";
export const OPEN_SQL = `UPDATE schema_info
    SET oldest_program = (SELECT oldest_program FROM move_progress)
    WHERE EXISTS (SELECT 1 FROM move_progress);
  ${NEED_PIECES_SQL};
  DROP TABLE move_progress`;

export function takenOver(): Error {
  return new Error("another postrider move has gone on with this one; it is left to that");
}
