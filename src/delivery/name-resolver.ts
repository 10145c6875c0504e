/** Turns host names into addresses: asks once for all who wait, and remembers for a short while. */

import { lookup } from "node:dns/promises";
import type { Clock } from "../platform/clock.ts";
import { DeliveryError } from "./network-error.ts";

/** Every address of a name, best first. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface NameResolver {
  /** Rejects when the name has no address, or none was found in time. */
  resolve(host: string): Promise<readonly string[]>;
}

export function createNameResolver(clock: Clock, ask: Lookup = askSystem): NameResolver {
  const known = new Map<string, { addresses: readonly string[]; until: number }>();
  const asking = new Map<string, Promise<readonly string[]>>();

  async function askOnce(host: string): Promise<readonly string[]> {
    try {
      const addresses = await within(clock, TIMEOUT_MS, ask(host));
      if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!);
      known.delete(host);
      known.set(host, { addresses, until: clock.monotonic() + KEEP_MS });
      return addresses;
    } finally {
      asking.delete(host);
    }
  }

  return {
    resolve(host) {
      const found = known.get(host);
      if (found !== undefined && found.until > clock.monotonic()) {
        return Promise.resolve(found.addresses);
      }
      const waiting = asking.get(host);
      if (waiting !== undefined) return waiting;
      const answer = askOnce(host);
      asking.set(host, answer);
      return answer;
    },
  };
}

async function askSystem(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true, order: "verbatim" });
  return answers.map((answer) => answer.address);
}

function within<T>(clock: Clock, timeoutMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => {
      reject(new DeliveryError("name lookup timed out"));
    });
    promise.then(resolve, reject).finally(cancel);
  });
}

const TIMEOUT_MS = 5_000;
const KEEP_MS = 30_000;
const KNOWN_MAX = 10_000;
