import type { Outcome } from "../../src/core/model/message/attempt.ts";
import { Problem } from "../../src/core/problem.ts";
import { readDestination } from "../../src/core/policy/egress/read-destination.ts";
import { ABORTED, type Courier, type Delivery } from "../../src/delivery/courier.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { AttemptReport } from "../../src/engine/engine-options.ts";
import { createIds } from "../../src/platform/ids.ts";
import { SharedClock } from "../../src/platform/due-time-clock.ts";
import { Bell } from "../../src/store/bell.ts";
import { RunLists } from "../../src/store/reads/run-lists.ts";
import { FairTurns } from "../../src/platform/fair-turns.ts";
import type { Store } from "../../src/store/store.ts";
import type { Chance } from "./chance.ts";
import type { SimulatedTime } from "./simulated-clock.ts";

export interface World {
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly store: Store;
  /** What a destination does with a call, and how long it takes. */
  answer(delivery: Delivery): { outcome: Outcome; afterMs: number };
  onAttempt(report: AttemptReport): void;
  /** Chance that a call to the store fails, before it is made or after it was carried out. */
  readonly storeFaults: number;
}

const never = <T>(): Promise<T> => new Promise(() => undefined);
const LIMITS = {
  slots: 6,
  slotsPerHost: 3,
  bytesMax: 1_000_000,
  logBytesMax: 1_000_000_000,
  storedBytesMax: 100_000_000,
};

/** One node of the simulated cluster: the real engine on a store that can fail and a node that can die. */
export class SimulatedNode {
  readonly engine: Engine;
  readonly bell = new Bell();
  /** How far its clock is off; it may be set anew at any time. */
  skewMs: number;
  #dead = false;
  readonly #world: World;
  readonly #log: (event: string) => void;
  readonly #clock: SharedClock;

  constructor(world: World, skewMs: number, log: (event: string) => void) {
    this.#world = world;
    this.#log = log;
    this.skewMs = skewMs;
    this.#clock = new SharedClock(world.time.clock(() => this.skewMs));
    const store = this.#faultyStore();
    this.engine = new Engine({
      store,
      courier: this.#courier(),
      clock: this.#clock,
      machineClock: this.#clock,
      ids: createIds(),
      log: {
        info: log,
        warn: log,
        error: (event, fields) => log(`${event} ${String(fields?.["error"])}`),
      },
      bell: this.bell,
      tickBell: new Bell(),
      deletionBell: new Bell(),
      runLists: new RunLists(),
      turns: new FairTurns(),
      account: (accountId) => store.reader.accounts.get(accountId),
      readDestination: (url) => readDestination(url, { mode: "dev", allow: [], httpsOnly: false }),
      signingKey: () => "sig_test",
      responseBytesKept: () => 1_000,
      onAttempt: (report) => (this.#dead ? undefined : world.onAttempt(report)),
      onFatal: (error) => {
        throw error;
      },
      keyIds: () => [],
      onSecretKey: () => undefined,
      alone: false,
      version: "0.0.0",
      nodeName: "host",
      requiresStandby: false,
      limits: LIMITS,
    });
  }

  /** The next process on the same machine. */
  successor(): SimulatedNode {
    return new SimulatedNode(this.#world, this.skewMs, this.#log);
  }

  /** Dies where it stands: nothing it asked for is ever answered, nothing it does is seen. */
  kill(): void {
    this.#dead = true;
  }

  #courier(): Courier {
    const { time } = this.#world;
    return {
      close: () => Promise.resolve(),
      send: (delivery) => {
        const stop = new AbortController();
        const call = async (): Promise<Outcome> => {
          if (this.#dead) return never();
          const { outcome, afterMs } = this.#world.answer(delivery);
          await time.clock().sleep(afterMs, stop.signal);
          if (this.#dead) return never();
          return stop.signal.aborted
            ? { kind: "no-answer", error: ABORTED, final: false }
            : outcome;
        };
        return { outcome: call(), abort: () => stop.abort() };
      },
    };
  }

  /** The store as this node reaches it: calls may fail, and their answers may be lost. */
  #faultyStore(): Store {
    const { store, chance, time } = this.#world;
    const faults = (): boolean => chance.happens(this.#world.storeFaults);
    const reach = async <T>(call: () => Promise<T>): Promise<T> => {
      if (this.#dead) return never();
      await time.clock().sleep(chance.below(4));
      if (this.#dead) return never();
      if (faults()) throw new Problem("overloaded", "store away");
      const answer = await call();
      if (this.#dead) return never();
      if (faults()) throw new Problem("overloaded", "answer lost");
      return answer;
    };
    return {
      reader: {
        ...store.reader,
        accounts: {
          ...store.reader.accounts,
          get: (...args) => reach(() => store.reader.accounts.get(...args)),
        },
        upkeep: {
          ...store.reader.upkeep,
          leases: (...args) => reach(() => store.reader.upkeep.leases(...args)),
        },
      },
      upcoming: (ageMsMax) => store.upcoming(ageMsMax),
      isOnlyWriter: false,
      clock: this.#clock,
      slotFreed: store.slotFreed,
      act: (act) => reach(() => store.act(act)),
      claim: (request) => reach(() => store.claim(request)),
      leased: (granted) => reach(() => store.leased(granted)),
      takeOver: (request) => reach(() => store.takeOver(request)),
      isDiskFull: false,
      beat: async (...renewal) => {
        const askedAt = time.now;
        const beat = await reach(() => store.beat(...renewal));
        this.#clock.observe(beat.now, askedAt);
        return beat;
      },
      leave: (nodeId) => reach(() => store.leave(nodeId)),
      recordStats: (minutesMax) => reach(() => store.recordStats(minutesMax)),
      requireWritable: () => store.requireWritable(),
      totals: () => store.totals(),
      sweep: (request) => reach(() => store.sweep(request)),
      sweepAccount: (request) => reach(() => store.sweepAccount(request)),
      removeAccount: (request) => reach(() => store.removeAccount(request)),
      close: () => Promise.resolve(),
    };
  }
}
