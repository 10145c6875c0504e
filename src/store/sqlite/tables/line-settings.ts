import type { StatementSync } from "node:sqlite";

import type { LineKey, LineSetting, LineUses } from "../../../core/model/line/line-setting.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import type { DueLine } from "../../group/line-rows.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import { toLineSetting } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { putInto, removeFrom, type WriteRows } from "../group/table-statements.ts";
import type { Database } from "../thread/connection.ts";

/** Settings of queues and flow-control keys. */
export class LineSettings {
  readonly #read: StatementSync;
  readonly #put: WriteRows<LineSetting>;
  readonly #remove: WriteRows<LineKey>;

  constructor(database: Database) {
    this.#read = database.prepare("SELECT * FROM line_limits WHERE account_id = ? AND line = ?");
    this.#put = putInto(database, LINE_LIMITS);
    this.#remove = removeFrom(database, LINE_LIMITS);
  }

  read({ accountId, line }: LineKey): LineSetting | null {
    const row = this.#read.get(accountId, line);
    return row ? toLineSetting(row) : null;
  }

  /**
   * Stores what publishers asked for, where it changes a line. Returns the lines whose stored
   * limits changed: messages may wait there.
   */
  use(used: Iterable<LineUses>): DueLine[] {
    const changed: DueLine[] = [];
    for (const uses of used) {
      const known = this.read(uses);
      const after = settingAfterUses(known, uses);
      if (after === null) continue;
      this.#put([after]);
      if (known !== null) changed.push({ ...uses, at: after.updatedAt });
    }
    return changed;
  }

  write({ lineSettings }: WorkingSet): void {
    this.#put(lineSettings.put.values());
    this.#remove(lineSettings.removed.values());
  }
}
