import { SettingError } from "../../../config/read-settings.ts";
import type { Settings } from "../../../config/settings.ts";
import { endsWithin } from "../../../platform/ends-within.ts";
import type { Api, Route, ServicePhase } from "./call.ts";
import { ApiServer } from "./server.ts";

/** Which routes each port has. */
export interface PortRoutes {
  readonly all: readonly Route[];
  /** Beside a separate port of the console. */
  readonly withoutConsole: readonly Route[];
  readonly console: readonly Route[];
  /** For commands on the same machine. */
  readonly commands: readonly Route[];
}

export interface Ports {
  readonly port: number;
  /** The same port unless the console has a separate one. */
  readonly consolePort: number;
}

/** The listening sockets of the service: one port for all, or a second one for the console. */
export class Listeners {
  readonly #settings: Settings;
  readonly #routes: PortRoutes;
  readonly #drainMs: number;
  readonly #api: Api;
  readonly #servers: ApiServer[] = [];
  readonly #started = Promise.withResolvers<void>();
  #phase: ServicePhase = "starting";

  constructor(
    settings: Settings,
    routes: PortRoutes,
    createApi: (life: Pick<Api, "phase" | "started">) => Api,
  ) {
    this.#settings = settings;
    this.#routes = routes;
    this.#drainMs = settings.drain ?? (settings.databaseUrl === undefined ? 0 : DRAIN_MS);
    this.#api = createApi({ phase: () => this.#phase, started: this.#started.promise });
  }

  async open(): Promise<Ports> {
    const { host, port, consolePort } = this.#settings;
    const { all, withoutConsole, console } = this.#routes;
    if (consolePort === undefined) {
      const opened = await this.#listen(all, { host, port });
      return { port: opened, consolePort: opened };
    }
    const flag = "--console-port";
    return {
      port: await this.#listen(withoutConsole, { host, port, admitsOperator: false }),
      consolePort: await this.#listen(console, { host, port: consolePort, flag }),
    };
  }

  /** Only the console, for this machine, on any free port. */
  async openConsole(): Promise<number> {
    return this.#listen(this.#routes.commands, { host: "127.0.0.1", port: 0 });
  }

  /** From here on requests are answered; those that came earlier have waited. */
  becomeReady(): void {
    this.#phase = "ready";
    this.#started.resolve();
  }

  /** Lets balancers know that they should send requests elsewhere; until they do, it answers them. */
  async turnAway(): Promise<void> {
    this.#phase = "draining";
    if (this.#drainMs > 0) await this.#api.clock.sleep(this.#drainMs);
  }

  /** Waits for the requests in progress, and for those that open connections still bring. */
  async drain(graceMs: number): Promise<void> {
    // While connections are kept, few new ones are opened that this could cut off.
    await Promise.all(this.#servers.map((server) => server.stopListening()));
    this.#phase = "leaving";
    this.#api.logStreams.close();
    const drained = Promise.all(this.#servers.map((server) => server.drain(this.#drainMs)));
    await endsWithin(this.#api.clock, Math.min(graceMs, DRAIN_MS_MAX), drained);
  }

  close(): void {
    this.#api.logStreams.close();
    for (const server of this.#servers) server.close();
    this.#api.uploads.stop();
  }

  /** A first start of dev must not fail because its port is taken; a start of serve must. */
  async #listen(
    routes: readonly Route[],
    { host, port, flag = "--port", admitsOperator = true }: ListenOptions,
  ): Promise<number> {
    const server = new ApiServer({ ...this.#api, admitsOperator }, routes);
    if (this.#servers.length === 0) this.#api.uploads.start();
    this.#servers.push(server);
    const tries = this.#settings.mode === "dev" && port !== 0 ? DEV_PORTS_TRIED : 1;
    try {
      return await server.listen(port, host, tries);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      throw new SettingError(
        `port ${port} on ${host} is taken; stop what uses it, or give ${flag} another`,
      );
    }
  }
}

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The flag that chooses the port. */
  readonly flag?: string;
  /** Whether the operator may sign in here. */
  readonly admitsOperator?: boolean;
}

/** With SQLite there is no other node to which a balancer could send requests. */
const DRAIN_MS = 5_000;
const DRAIN_MS_MAX = 10_000;
const DEV_PORTS_TRIED = 20;
