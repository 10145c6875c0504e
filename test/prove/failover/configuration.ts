import { readdirSync } from "node:fs";
import { join } from "node:path";

export interface Member {
  readonly name: string;
  readonly port: number;
  /** Where Patroni says what the server is. */
  readonly restPort: number;
}

export interface ClusterFacts {
  readonly folder: string;
  readonly isSynchronous: boolean;
  readonly etcdPort: number;
}

export function etcdArguments(
  folder: string,
  { client, peer }: { readonly client: number; readonly peer: number },
): string[] {
  const [clients, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  return Object.entries({
    "data-dir": folder,
    "listen-client-urls": clients,
    "advertise-client-urls": clients,
    "listen-peer-urls": peers,
    "initial-advertise-peer-urls": peers,
    "initial-cluster": `default=${peers}`,
  }).map(([name, value]) => `--${name}=${value}`);
}

/** JSON is YAML too. */
export function patroniText({ name, port, restPort }: Member, facts: ClusterFacts): string {
  const { folder, isSynchronous, etcdPort } = facts;
  const rest = `127.0.0.1:${restPort}`;
  const server = `127.0.0.1:${port}`;
  const password = "secret";
  return JSON.stringify({
    scope: "postrider",
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 5,
        synchronous_mode: isSynchronous,
        postgresql: { use_pg_rewind: true, parameters: { wal_log_hints: "on" } },
      },
      initdb: [{ encoding: "UTF8" }, "data-checksums"],
      pg_hba: ["all", "replication"].map((what) => `host ${what} all 127.0.0.1/32 trust`),
    },
    postgresql: {
      listen: server,
      connect_address: server,
      data_dir: join(folder, name),
      bin_dir: newestBinaries(),
      pgpass: join(folder, `${name}.pgpass`),
      authentication: {
        superuser: { username: "postgres", password },
        replication: { username: "replicator", password },
        rewind: { username: "rewinder", password },
      },
      parameters: { unix_socket_directories: folder },
    },
  });
}

/** What docs/guides/production.md shows. */
export function haproxyText(port: number, members: readonly Member[]): string {
  return [
    "defaults",
    "  mode tcp",
    "  timeout connect 2s",
    "  timeout client 1h",
    "  timeout server 1h",
    "listen primary",
    `  bind 127.0.0.1:${port}`,
    "  option httpchk OPTIONS /primary",
    "  http-check expect status 200",
    "  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions",
    ...members.map(
      (member) => `  server ${member.name} 127.0.0.1:${member.port} check port ${member.restPort}`,
    ),
    "",
  ].join("\n");
}

function newestBinaries(): string {
  const folder = "/usr/lib/postgresql";
  const newest = Math.max(...readdirSync(folder).map(Number));
  return join(folder, String(newest), "bin");
}
