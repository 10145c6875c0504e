// messages_leased, hopping from node to node. A lease whose node has no row must not be
// forgotten: its node never beats, so the other nodes will find it dead.
export const NODES_SQL = `WITH RECURSIVE holder (node_id) AS (
    (SELECT node_id FROM messages WHERE phase = 1 AND node_id IS NOT NULL
     ORDER BY node_id LIMIT 1)
    UNION ALL
    SELECT (SELECT node_id FROM messages WHERE phase = 1 AND node_id > holder.node_id
            ORDER BY node_id LIMIT 1)
    FROM holder WHERE node_id IS NOT NULL
  )
  SELECT node_id, beats, renewed_at, facts, (SELECT left_at FROM service) AS left_at FROM nodes
  UNION ALL
  SELECT node_id, 0, NULL, NULL, NULL FROM holder
  WHERE node_id IS NOT NULL AND node_id NOT IN (SELECT node_id FROM nodes)`;
