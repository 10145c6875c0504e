import { portable, serveThread } from "../../platform/thread.ts";
import { SqliteWriter } from "./writer.ts";

/** The main file of the writer's thread. */
serveThread((path: string) => {
  const writer = new SqliteWriter(path);
  return {
    ready: () => true,
    group: (acts: Parameters<SqliteWriter["group"]>[0], now: number) =>
      writer
        .group(acts, now)
        .map((result) => (result.ok ? result : { ok: false, error: portable(result.error) })),
    claim: (request: Parameters<SqliteWriter["claim"]>[0]) => writer.claim(request),
    takeOver: (request: Parameters<SqliteWriter["takeOver"]>[0]) => writer.takeOver(request),
    beat: (nodeId: string, now: number) => writer.beat(nodeId, now),
    sweep: (request: Parameters<SqliteWriter["sweep"]>[0]) => writer.sweep(request),
    close: () => writer.close(),
  };
});
