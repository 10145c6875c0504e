import { choice, flag, instant, integer, list, object, text } from "../json/schema.ts";

export const NODES = object("Nodes", {
  nodes: list(
    object("Node", {
      nodeId: text("The id of the node, drawn when it starts."),
      name: text("Its host name, or its `--node-name`.", "node-1"),
      version: text("Its version of Postrider.", "0.1.0"),
      startedAt: instant("When it started."),
      slotsUsed: integer("Messages in hand.", 12),
      slotsMax: integer("Messages that it can have in hand.", 2_048),
      silentMs: integer("Milliseconds since its last heartbeat.", 1_200),
      paused: flag("It starts no deliveries.", false),
      live: flag("Its heartbeat is recent.", true),
    }),
  ),
  durability: choice(
    ["disk", "primary", "standby"],
    "Where an accepted message is: on the disk of SQLite, of the PostgreSQL primary, or of a synchronous standby as well.",
  ),
});

export const PAUSED = object("PausedServer", {
  paused: flag(),
  nodes: list(text(), "Nodes that start no deliveries any more."),
  pending: list(text(), "Nodes that may still start some."),
});
export const RESUMED = object("ResumedServer", { paused: flag() });
