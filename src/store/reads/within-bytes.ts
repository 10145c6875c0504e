/** A list whose rows have a large `body`, which is looked up once a row is known to fit. */
export interface SizedList {
  /** The columns besides the body, and what they and its size are read from. */
  readonly columns: string;
  readonly from: string;
  readonly where: string;
  readonly order: string;
  /** The parameters for the number of rows and for the bytes of their bodies. */
  readonly limit: string;
  readonly bytesMax: string;
  /** The body of a row of `sized`. */
  readonly body: string;
}

/**
 * As many rows as fit the limit for bodies, and at least one. The length of a body is known without
 * reading it.
 */
export function withinBytes(list: SizedList): string {
  const { columns, from, where, order, limit, bytesMax, body } = list;
  return `SELECT ${columns}, (${body}) AS body FROM (
      SELECT found.*, sum(body_bytes) OVER in_order AS bytes, row_number() OVER in_order AS nth
      FROM (SELECT ${columns}, octet_length(body) AS body_bytes FROM ${from}
        WHERE ${where} ORDER BY ${order} LIMIT ${limit}) AS found
      WINDOW in_order AS (ORDER BY ${order})) AS sized
    WHERE bytes <= ${bytesMax} OR nth = 1 ORDER BY ${order}`;
}
