import type { LineSetting, LineUses } from "../../../core/model/line/line.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import { lineKey } from "../../group/row-keys.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import { rowsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import {
  addMissingTo,
  lineArrays,
  loadFrom,
  putInto,
  removeFrom,
} from "../group/table-statements.ts";
import { hasKey, LINE_KEY } from "../group/rows-by-key.ts";

/** What publishers asked for, where it changes the setting of a line. */
export interface UsedSettings {
  /** Of lines that had no setting. Where another group adds one first, that one counts. */
  readonly added: readonly LineSetting[];
  /** Of lines in which messages may wait, locked by this transaction. */
  readonly changed: readonly LineSetting[];
}

/**
 * Decides what the uses of lines change. Settings are read without a lock first, so that publishers
 * that ask for what is stored do not wait for each other.
 */
export async function settingsOnceUsed(
  session: Session,
  used: readonly LineUses[],
): Promise<UsedSettings> {
  if (used.length === 0) return { added: [], changed: [] };
  const rows = await session.query(READ_USED, lineArrays(used));
  const known = byKey(rows.map(LINE_LIMITS.read));
  const added = used.filter((uses) => !known.has(lineKey(uses)));
  const changing = used.filter((uses) => {
    const setting = known.get(lineKey(uses));
    return setting !== undefined && settingAfterUses(setting, uses) !== null;
  });
  const locked = byKey(await loadLineSettings(session, changing));
  return {
    added: added.flatMap((uses) => settingAfterUses(null, uses) ?? []),
    changed: changing.flatMap(
      (uses) => settingAfterUses(locked.get(lineKey(uses)) ?? null, uses) ?? [],
    ),
  };
}

function byKey(settings: readonly LineSetting[]): Map<string, LineSetting> {
  return new Map(settings.map((setting) => [lineKey(setting), setting]));
}

/** Leaves the settings alone that lines have by now. */
export const addSettings = addMissingTo(LINE_LIMITS);
export const putSettings = putInto(LINE_LIMITS);
/** A line that is set at the same time stays, as if it had been set afterwards. */
export const removeSettings = removeFrom(LINE_LIMITS);

const loadLineSettings = loadFrom(LINE_LIMITS);

const READ_USED = `SELECT m.* FROM ${rowsOf("account_id $1 text", "line $2 text")} k
  CROSS JOIN LATERAL (SELECT * FROM line_limits WHERE ${hasKey(LINE_KEY)} OFFSET 0) m`;
