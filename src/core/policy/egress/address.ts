/** The class of an IP address. Judged on bytes, with any IPv4 address inside unwrapped. */

export type AddressClass = "public" | "private" | "loopback" | "link-local" | "special";

/** 4 or 16 bytes; 4 also for an IPv4 address mapped into IPv6, which is dialed as IPv4. */
export type AddressBytes = Uint8Array;

export interface Network {
  readonly address: AddressBytes;
  readonly bits: number;
}

/** The bytes of a plain literal; null for other text, scoped addresses and odd notations too. */
export function parseAddress(text: string): AddressBytes | null {
  const bytes = text.includes(":") ? parseV6(text) : parseV4(text);
  if (bytes?.length === 16 && contains(MAPPED, bytes)) return bytes.slice(12);
  return bytes;
}

export function parseNetwork(text: string): Network | null {
  const [base, suffix, ...rest] = text.split("/");
  const address = parseAddress(base!);
  if (address === null || rest.length > 0) return null;
  const bits = address.length * 8;
  if (suffix === undefined) return { address, bits };
  if (!/^\d{1,3}$/.test(suffix) || Number(suffix) > bits) return null;
  return { address, bits: Number(suffix) };
}

export function contains(network: Network, address: AddressBytes): boolean {
  if (network.address.length !== address.length) return false;
  const wholeBytes = network.bits >> 3;
  for (let index = 0; index < wholeBytes; index++) {
    if (network.address[index] !== address[index]) return false;
  }
  const restBits = network.bits & 7;
  if (restBits === 0) return true;
  return (network.address[wholeBytes]! ^ address[wholeBytes]!) >> (8 - restBits) === 0;
}

export function classifyAddress(address: AddressBytes): AddressClass {
  const known = RANGES.find((range) => contains(range.network, address));
  if (known !== undefined) return known.class;
  if (address.length === 4) return "public";
  const carrier = CARRIERS.find((candidate) => contains(candidate.network, address));
  if (carrier !== undefined) return classifyCarried(carrier, address);
  const isGlobal = contains(GLOBAL_UNICAST, address) && !contains(PROTOCOLS, address);
  return isGlobal ? "public" : "special";
}

/**
 * The group in which an address is counted: an IPv4 address itself, an IPv6 address by its first 64
 * bits, since one holder has all of them. Other text is its own group.
 */
export function addressGroup(text: string): string {
  const address = parseAddress(text);
  if (address === null) return text;
  if (address.length === 4) return address.join(".");
  return `${Buffer.from(address.subarray(0, 8)).toString("hex")}::/64`;
}

/** The strictest class of those it may carry. Only NAT64 may lead to a public IPv4 address. */
function classifyCarried(carrier: Carrier, address: AddressBytes): AddressClass {
  const classes = carrier.byteIndexes.map((indexes) =>
    classifyAddress(Uint8Array.from(indexes, (index) => address[index]! ^ carrier.mask)),
  );
  const worst = WORST_FIRST.find((candidate) => classes.includes(candidate)) ?? "special";
  return worst === "public" && !carrier.trusted ? "special" : worst;
}

function parseV4(text: string): Uint8Array | null {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return null;
  const parts = text.split(".");
  if (parts.some((part) => Number(part) > 255 || String(Number(part)) !== part)) return null;
  return Uint8Array.from(parts, Number);
}

function parseV6(text: string): Uint8Array | null {
  if (!/^[0-9a-fA-F:.]{2,45}$/.test(text)) return null;
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const head = parseGroups(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? parseGroups(halves[1]!, true) : [];
  if (head === null || tail === null) return null;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return null;
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

function parseGroups(text: string, mayEndInV4: boolean): number[] | null {
  if (text === "") return [];
  const groups = text.split(":");
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    if (group.includes(".")) {
      const v4 = mayEndInV4 && index === groups.length - 1 ? parseV4(group) : null;
      if (v4 === null) return null;
      bytes.push(...v4);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    }
  }
  return bytes;
}

function networkOf(text: string): Network {
  const parsed = parseNetwork(text);
  if (parsed === null) throw new Error(`not a network: ${text}`);
  return parsed;
}

interface Carrier {
  readonly network: Network;
  /** Where the four bytes of an IPv4 address may be. */
  readonly byteIndexes: readonly (readonly number[])[];
  readonly mask: number;
  readonly trusted: boolean;
}

function carrierOf(text: string, byteIndexes: readonly (readonly number[])[], mask = 0): Carrier {
  return {
    network: networkOf(text),
    byteIndexes: byteIndexes,
    mask,
    trusted: text === "64:ff9b::/96",
  };
}

const MAPPED: Network = {
  address: Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0]),
  bits: 96,
};

const LAST_FOUR = [12, 13, 14, 15];

const CARRIERS: readonly Carrier[] = [
  carrierOf("64:ff9b::/96", [LAST_FOUR]),
  carrierOf("64:ff9b:1::/48", [LAST_FOUR, [6, 7, 9, 10]]),
  carrierOf("::ffff:0:0:0/96", [LAST_FOUR]),
  carrierOf("2002::/16", [[2, 3, 4, 5]]),
  carrierOf("2001::/32", [LAST_FOUR], 0xff),
  carrierOf("::/96", [LAST_FOUR]),
];

const WORST_FIRST: readonly AddressClass[] = [
  "link-local",
  "loopback",
  "private",
  "special",
  "public",
];

const GLOBAL_UNICAST = networkOf("2000::/3");
const PROTOCOLS = networkOf("2001::/23");

/** The first row that holds an address decides. */
const RANGES: readonly { network: Network; class: AddressClass }[] = (
  [
    // Where clouds serve credentials outside the link-local range.
    ["100.100.100.200", "link-local"],
    ["168.63.129.16", "link-local"],
    ["192.0.0.192", "link-local"],
    ["fd00:ec2::254", "link-local"],
    ["fd20:ce::254", "link-local"],

    ["0.0.0.0/8", "special"],
    ["10.0.0.0/8", "private"],
    ["100.64.0.0/10", "private"],
    ["127.0.0.0/8", "loopback"],
    ["169.254.0.0/16", "link-local"],
    ["172.16.0.0/12", "private"],
    ["192.0.0.0/24", "special"],
    ["192.0.2.0/24", "special"],
    ["192.88.99.0/24", "special"],
    ["192.168.0.0/16", "private"],
    ["198.18.0.0/15", "special"],
    ["198.51.100.0/24", "special"],
    ["203.0.113.0/24", "special"],
    ["224.0.0.0/4", "special"],
    ["240.0.0.0/4", "special"],

    ["::1", "loopback"],
    ["fc00::/7", "private"],
    ["fe80::/10", "link-local"],
    ["2001:db8::/32", "special"],
    ["3fff::/20", "special"],
  ] as const
).map(([text, addressClass]) => ({ network: networkOf(text), class: addressClass }));

/** Whether a host name or address always means this machine, whatever a name server answers. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  const plain = name.endsWith(".") ? name.slice(0, -1) : name;
  if (plain === "localhost" || plain.endsWith(".localhost")) return true;
  const address = parseAddress(name);
  return address !== null && classifyAddress(address) === "loopback";
}
