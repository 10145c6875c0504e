/** A PostgreSQL with few connections, and clients that take them. */
import assert from "node:assert/strict";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import type { Scope } from "./scope.ts";

const CONNECTIONS_MAX = 16;

export async function startSmallServer(
  scope: Scope,
): Promise<{ server: PostgresServer; others: OtherClients }> {
  const settings = ["superuser_reserved_connections=0"];
  const server = await startPostgres({ connectionsMax: CONNECTIONS_MAX, settings });
  const others = new OtherClients(server.url);
  scope.after(async () => {
    await others.leave();
    await server.stop();
  });
  return { server, others };
}

/** Hold connections and do nothing with them. */
export class OtherClients {
  readonly #url: string;
  readonly #clients: Client[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async takeFree(): Promise<void> {
    for (;;) {
      const client = new Client({ connectionString: this.#url, application_name: "other" });
      client.on("error", () => undefined);
      try {
        await client.connect();
      } catch (error) {
        assert.equal((error as { code?: string }).code, "53300");
        return;
      }
      this.#clients.push(client);
    }
  }

  /** Those of the service too, which are ended until it gets none any more. */
  async takeEvery(): Promise<void> {
    await this.takeFree();
    while (this.#clients.length < CONNECTIONS_MAX) {
      await this.#clients[0]!.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'postrider'",
      );
      await this.takeFree();
    }
  }

  async leave(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.end()));
  }
}
