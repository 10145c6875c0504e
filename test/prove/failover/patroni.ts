/** Three PostgreSQL servers that Patroni and etcd keep, and HAProxy before them, on the loopback. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eventually } from "../../support/eventually.ts";
import { steadyPort } from "../../support/free-port.ts";
import { etcdArguments, haproxyText, type Member, patroniText } from "./configuration.ts";

interface MemberState {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

export class PatroniCluster {
  /** Of whichever server is the primary. */
  readonly url: string;
  readonly #folder: string;
  readonly #members: readonly Member[];
  readonly #isSynchronous: boolean;
  readonly #children = new Map<string, ChildProcess>();

  private constructor(folder: string, members: readonly Member[], port: number, sync: boolean) {
    this.#folder = folder;
    this.#members = members;
    this.#isSynchronous = sync;
    this.url = `postgres://postgres:secret@127.0.0.1:${port}/postgres`;
  }

  static async start(isSynchronous: boolean): Promise<PatroniCluster> {
    requireTools();
    const folder = mkdtempSync(join(tmpdir(), "postrider-failover-"));
    if (process.getuid?.() === 0) chownSync(folder, ...ownerOf("postgres"));
    const ports = { client: await steadyPort(), peer: await steadyPort() };
    const members: Member[] = [];
    for (const name of ["pg1", "pg2", "pg3"]) {
      members.push({ name, port: await steadyPort(), restPort: await steadyPort() });
    }
    const port = await steadyPort();
    const cluster = new PatroniCluster(folder, members, port, isSynchronous);
    cluster.#spawn("etcd", etcdArguments(join(folder, "etcd"), ports));
    for (const member of members) {
      const text = patroniText(member, { folder, isSynchronous, etcdPort: ports.client });
      writeFileSync(join(folder, `${member.name}.yml`), text);
      cluster.restart(member.name);
      await patiently(() => cluster.#isRunning(member), `${member.name} runs`);
    }
    writeFileSync(join(folder, "haproxy.cfg"), haproxyText(port, members));
    cluster.#spawn("haproxy", ["-f", join(folder, "haproxy.cfg")]);
    return cluster;
  }

  /** The leader, once all servers follow it and there is a synchronous standby if there must be. */
  leader(): Promise<string> {
    return patiently(async () => {
      const states = await this.#states();
      const leader = states.find(({ role }) => role === "leader");
      const isWhole =
        states.length === this.#members.length &&
        states.every(({ state, timeline }) =>
          state === "running" || state === "streaming" ? timeline === leader?.timeline : false,
        );
      const hasStandby = states.some(({ role }) => role === "sync_standby");
      return isWhole && hasStandby === this.#isSynchronous ? (leader?.name ?? null) : null;
    }, "the cluster is whole");
  }

  /** The machine of the leader is gone, after it had sent its replicas nothing for a while. */
  async crash(name: string, stallMs: number): Promise<void> {
    const postmaster = this.#postmaster(name);
    if (stallMs > 0) signal("STOP", childrenOf(postmaster, "walsender"));
    await new Promise((resolve) => setTimeout(resolve, stallMs));
    const keeper = this.#children.get(name)!.pid!;
    const dead = [...childrenOf(keeper), keeper, postmaster, ...childrenOf(postmaster)];
    signal("KILL", dead);
  }

  restart(name: string): void {
    this.#spawn(name, [join(this.#folder, `${name}.yml`)], "patroni");
  }

  async stop(): Promise<void> {
    for (const { name } of this.#members) {
      // Patroni stops its server when it is asked to end.
      const child = this.#children.get(name)!;
      signal("TERM", childrenOf(child.pid!));
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    for (const name of ["haproxy", "etcd"]) {
      const child = this.#children.get(name);
      if (child !== undefined) signal("TERM", childrenOf(child.pid!));
      child?.kill("SIGTERM");
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20 });
  }

  /** As the user postgres where this is root, which PostgreSQL refuses to run as. */
  #spawn(name: string, args: readonly string[], program = name): void {
    const command = [program, ...args];
    const asUser = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--"] : [];
    const [file, ...rest] = [...asUser, ...command];
    const env = { ...process.env, ETCD_UNSUPPORTED_ARCH: process.arch };
    this.#children.set(name, spawn(file!, rest, { stdio: "ignore", env, cwd: this.#folder }));
  }

  #postmaster(name: string): number {
    const [pid] = readFileSync(join(this.#folder, name, "postmaster.pid"), "utf8").split("\n");
    return Number(pid);
  }

  async #isRunning({ name }: Member): Promise<true | null> {
    const states = await this.#states();
    return states.some((one) => one.name === name && one.state !== "starting") || null;
  }

  /** As the first member tells that answers. */
  async #states(): Promise<readonly MemberState[]> {
    for (const { restPort } of this.#members) {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => null);
      if (answer === null) continue;
      return ((await answer.json()) as { members: MemberState[] }).members;
    }
    return [];
  }
}

/** A failover takes longer than anything in one process. */
export async function patiently<Value>(
  ask: () => Value | null | Promise<Value | null>,
  what: string,
): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await eventually(ask, what);
    } catch (error) {
      if (tries === TRIES_MAX) throw error;
    }
  }
}

const TRIES_MAX = 4;

function childrenOf(pid: number, named?: string): number[] {
  const pattern = named === undefined ? [] : ["-f", named];
  const { stdout } = spawnSync("pgrep", ["-P", String(pid), ...pattern], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}

/** Some of them may have ended meanwhile. */
function signal(name: string, pids: readonly number[]): void {
  if (pids.length > 0) spawnSync("kill", [`-${name}`, ...pids.map(String)]);
}

function ownerOf(user: string): [uid: number, gid: number] {
  const id = (flag: string): number =>
    Number(spawnSync("id", [flag, user], { encoding: "utf8" }).stdout);
  return [id("-u"), id("-g")];
}

function requireTools(): void {
  const missing = ["etcd", "patroni", "haproxy", "pgrep"].filter(
    (name) => spawnSync("which", [name]).status !== 0,
  );
  if (missing.length === 0 && readdirSync("/usr/lib/postgresql").length > 0) return;
  throw new Error(
    `${missing.join(", ")} missing; on Debian: apt-get install patroni etcd-server haproxy postgresql procps`,
  );
}
