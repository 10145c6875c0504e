/** What the files and connections that a process may have open are for. */
export interface OpenFiles {
  /** Connections of callers. */
  readonly callers: number;
  /** Messages that are sent at once: each may need a connection. */
  readonly deliveries: number;
}

/**
 * Callers get most of them, but not all: a delivery that finds none left would fail, however
 * healthy its destination. A quarter is for connections that are kept open.
 */
export function shareOpenFiles(max: number): OpenFiles {
  return {
    callers: between(CALLERS_MIN, Math.floor((max * 5) / 8) - OWN_FILES, CALLERS_MAX),
    deliveries: between(DELIVERIES_MIN, Math.floor(max / 8), DELIVERIES_MAX),
  };
}

/** A sentence for the log when there are fewer than the service can use. */
export function openFilesNote(max: number): string | null {
  const { callers, deliveries } = shareOpenFiles(max);
  if (callers === CALLERS_MAX && deliveries === DELIVERIES_MAX) return null;
  return (
    `at most ${max} files may be open (ulimit -n), so callers may have ${callers} connections ` +
    `and ${deliveries} messages are sent at once`
  );
}

function between(min: number, value: number, max: number): number {
  return Math.max(min, Math.min(value, max));
}

const CALLERS_MIN = 16;
const CALLERS_MAX = 10_000;
const DELIVERIES_MIN = 8;
const DELIVERIES_MAX = 2_048;
/** The database, its threads, the program, the log. */
const OWN_FILES = 64;
