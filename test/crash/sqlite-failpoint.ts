/** Loaded into every thread of a service on SQLite, before it: `node --import`. */
import { DatabaseSync } from "node:sqlite";

import { StateChanges } from "./failpoint.ts";

const { prototype } = DatabaseSync;
// oxlint-disable-next-line typescript/unbound-method -- it is called on the database it was called on
const execute = prototype.exec;
const changes = new StateChanges();
let rowsChangedBefore = 0;

prototype.exec = function exec(this: DatabaseSync, sql: string): void {
  if (sql !== "COMMIT") return execute.call(this, sql);
  const number = hasChanged(this) ? changes.before() : null;
  execute.call(this, sql);
  if (number !== null) changes.after(number);
};

/** Whether rows were written since the last commit; the writer has the only connection that does. */
function hasChanged(database: DatabaseSync): boolean {
  const rowsChanged = Number(database.prepare("SELECT total_changes() AS n").get()?.["n"]);
  const isChange = rowsChanged > rowsChangedBefore;
  rowsChangedBefore = rowsChanged;
  return isChange;
}
