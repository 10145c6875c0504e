/** `npm run reference` writes this file from the schemas of the server. */

export interface Nodes {
  readonly nodes: readonly NodeRecord[];
  /** Where an accepted message is: on the disk of SQLite, of the PostgreSQL primary, or of a synchronous standby as well. */
  readonly durability: "disk" | "primary" | "standby";
}

export interface NodeRecord {
  /** The id of the node, drawn when it starts. */
  readonly nodeId: string;
  /** Its host name, or its `--node-name`. */
  readonly name: string;
  /** Its version of Postrider. */
  readonly version: string;
  /** When it started. Unix milliseconds. */
  readonly startedAt: number;
  /** Messages in hand. */
  readonly slotsUsed: number;
  /** Messages that it can have in hand. */
  readonly slotsMax: number;
  /** Milliseconds since its last heartbeat. */
  readonly silentMs: number;
  /** It starts no deliveries. */
  readonly paused: boolean;
  /** Its heartbeat is recent. */
  readonly live: boolean;
}

export interface PausedServer {
  readonly paused: boolean;
  /** Nodes that start no deliveries any more. */
  readonly nodes: readonly string[];
  /** Nodes that may still start some. */
  readonly pending: readonly string[];
}

export interface Readiness {
  readonly status: "ready";
  /** Always true. */
  readonly ready: boolean;
}
