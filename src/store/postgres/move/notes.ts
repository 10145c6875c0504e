/** What notes the changed rows of a schema during a move. */
import type { MovedTable } from "../../move/moved-table.ts";
import { namesOf } from "../../records/table.ts";
import { MOVED_PROGRAM } from "../../schema.ts";

export function createChangesSql(schema: string): string {
  return `CREATE TABLE IF NOT EXISTS ${schema}.move_changes (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, table_name text NOT NULL, key text NOT NULL)`;
}

/**
 * The function writes first and then looks whether the data was moved: the write waits for the lock
 * of a move that closes the store. No statement changes a key; if one did, the counts would differ in
 * the end. The error is one that nodes meet when another transaction holds a row.
 */
export function triggersOf({ name, key }: MovedTable, schema: string): string {
  const note = `${schema}.move_note_${name}`;
  const events = ["INSERT", "UPDATE", "DELETE"].map((event) => {
    const rows = event === "DELETE" ? "OLD" : "NEW";
    return `CREATE OR REPLACE TRIGGER move_${event.toLowerCase()} AFTER ${event} ON ${schema}.${name}
      REFERENCING ${rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${note}();`;
  });
  return `CREATE OR REPLACE FUNCTION ${note}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO ${schema}.move_changes (table_name, key)
        SELECT '${name}', jsonb_build_array(${namesOf(key).join(", ")})::text FROM changed;
      IF (SELECT oldest_program FROM ${schema}.schema_info) = ${MOVED_PROGRAM} THEN
        RAISE EXCEPTION 'the data was moved to another store' USING ERRCODE = 'lock_not_available';
      END IF;
      RETURN NULL;
    END $$;
    ${events.join("\n")}`;
}
