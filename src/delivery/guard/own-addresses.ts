import { networkInterfaces } from "node:os";
import {
  type AddressBytes,
  classifyAddress,
  parseAddress,
} from "../../core/policy/egress/address.ts";
import type { EgressPolicy, OwnAddresses } from "../../core/policy/egress/egress.ts";

interface Listener {
  /** Null when it was given as a name, which is one of this machine. */
  readonly address: AddressBytes | null;
  readonly port: number;
}

/** Where the service listens, and the URL under which callers reach it. */
export class ListeningAddresses implements OwnAddresses {
  readonly publicUrl: URL | null;
  readonly #listeners: Listener[] = [];

  constructor(publicUrl: string | undefined) {
    this.publicUrl = publicUrl === undefined ? null : URL.parse(publicUrl);
  }

  add(host: string, ports: readonly number[]): void {
    const address = parseAddress(host);
    this.#listeners.push(...ports.map((port) => ({ address, port })));
  }

  isOwn(address: AddressBytes, port: number): boolean {
    return this.#listeners.some((listener) => {
      if (listener.port !== port) return false;
      // Dialing this address reaches any service of this machine.
      if (isUnspecified(address)) return true;
      if (listener.address === null) return classifyAddress(address) === "loopback";
      if (isUnspecified(listener.address)) return isOfThisMachine(address);
      return isSame(listener.address, address);
    });
  }
}

/** The settings that say where the service may send to. */
interface EgressSettings extends Pick<EgressPolicy, "mode" | "httpsOnly"> {
  readonly egressAllow: EgressPolicy["allow"];
  readonly publicUrl: string | undefined;
}

/** The egress policy, with the addresses where the service listens. */
export function policyOf({
  mode,
  egressAllow,
  httpsOnly,
  publicUrl,
}: EgressSettings): EgressPolicy & { readonly own: ListeningAddresses } {
  return { mode, allow: egressAllow, httpsOnly, own: new ListeningAddresses(publicUrl) };
}

/** Addresses come and go while the service runs, so they are read each time. */
function isOfThisMachine(address: AddressBytes): boolean {
  if (classifyAddress(address) === "loopback") return true;
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return interfaces.some((each) => {
    const own = parseAddress(each.address);
    return own !== null && isSame(own, address);
  });
}

function isUnspecified(address: AddressBytes): boolean {
  return address.every((byte) => byte === 0);
}

function isSame(one: AddressBytes, other: AddressBytes): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
