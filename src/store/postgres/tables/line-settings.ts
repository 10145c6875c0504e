import type { LineKey, LineSetting, LineUses } from "../../../core/model/line/line-setting.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import { lineKey } from "../../group/row-keys.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import { toLineSetting } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { rowsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";
import { addMissingTo, arraysOf, putInto, removeFrom } from "../group/table-statements.ts";
import { hasKey, LINE_KEY } from "../group/rows-by-key.ts";

/** Settings of queues and flow-control keys. */
export async function loadLineSettings(
  session: Session,
  keys: readonly LineKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(SQL.lock, arraysOf(LINE_LIMITS.key, keys))) {
    rows.lineSettings.load(toLineSetting(row));
  }
}

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
  const known = await readByKey(session, SQL.readUsed, used);
  const added = used.filter((uses) => !known.has(lineKey(uses)));
  const changing = used.filter((uses) => {
    const setting = known.get(lineKey(uses));
    return setting !== undefined && settingAfterUses(setting, uses) !== null;
  });
  const locked = await readByKey(session, SQL.lock, changing);
  return {
    added: added.flatMap((uses) => settingAfterUses(null, uses) ?? []),
    changed: changing.flatMap(
      (uses) => settingAfterUses(locked.get(lineKey(uses)) ?? null, uses) ?? [],
    ),
  };
}

async function readByKey(
  session: Session,
  statement: string,
  keys: readonly LineKey[],
): Promise<Map<string, LineSetting>> {
  if (keys.length === 0) return new Map();
  const settings = (await session.query(statement, arraysOf(LINE_LIMITS.key, keys))).map(
    toLineSetting,
  );
  return new Map(settings.map((setting) => [lineKey(setting), setting]));
}

export async function removeLineSettings(
  session: Session,
  removed: readonly LineKey[],
): Promise<void> {
  await remove(session, removed);
}

export async function writeLineSettings(
  session: Session,
  { lineSettings }: WorkingSet,
): Promise<void> {
  await putSettings(session, lineSettings.put.values());
}

/** Leaves the settings alone that lines have by now. */
export const addSettings = addMissingTo(LINE_LIMITS);
export const putSettings = putInto(LINE_LIMITS);
// A line that is set at the same time stays, as if it had been set afterwards.
const remove = removeFrom(LINE_LIMITS);

const SQL = {
  lock: lockByKey(LINE_LIMITS),
  readUsed: `SELECT m.* FROM ${rowsOf("account_id $1 text", "line $2 text")} k
    CROSS JOIN LATERAL (SELECT * FROM line_limits WHERE ${hasKey(LINE_KEY)} OFFSET 0) m`,
} as const;
