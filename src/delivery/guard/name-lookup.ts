/**
 * Looks up the addresses of names: first in the hosts file, then by name servers, none of which can
 * block another.
 */

import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { parseAddress } from "../../core/policy/egress/address.ts";
import { bareHost } from "../../core/policy/egress/egress.ts";
import { DeliveryError } from "../http/network-error.ts";

/** Every address of a name, best first. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface NameLookupOptions {
  /** Name servers as `address` or `address:port`; those of the system by default. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvFile?: string;
}

/** How a relative name is completed. */
interface Search {
  readonly domains: readonly string[];
  /** With this many dots, a name is first tried as it is. */
  readonly dotsMin: number;
}

interface Asked {
  /** The settings that the resolver was made from. */
  readonly text: string;
  readonly search: Search;
  readonly resolver: Resolver;
}

/**
 * Avoids the system's resolver: its few threads wait for silent name servers, and all other lookups
 * then wait for them.
 */
export function createNameLookup(options: NameLookupOptions = {}): Lookup {
  const { servers, hostsFile = HOSTS_FILE, resolvFile = RESOLV_FILE } = options;
  let known: Asked | null = null;

  /** The settings of the machine may change while the service runs. */
  async function asked(): Promise<Asked> {
    const text = await textOf(resolvFile);
    if (known?.text === text) return known;
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    known = { text, search: readSearch(text), resolver };
    return known;
  }

  return async (host) => {
    if (parseAddress(host) !== null) return [host];
    const listed = addressesIn(await textOf(hostsFile), host);
    if (listed.length > 0) return listed;
    if (LOCALHOST.test(host)) return ["127.0.0.1", "::1"];
    const { resolver, search } = await asked();
    for (const name of candidatesOf(host, search)) {
      const addresses = await addressesOf(resolver, name);
      if (addresses.length > 0) return addresses;
    }
    throw Object.assign(new Error(`no such host: ${host}`), { code: "ENOTFOUND" });
  };
}

/** Empty when the name has no addresses; rejects when that could not be found out. */
async function addressesOf(resolver: Resolver, name: string): Promise<string[]> {
  const [four, six] = await Promise.all([
    unlessNone(resolver.resolve4(name)),
    unlessNone(resolver.resolve6(name)),
  ]);
  const found = inTurn(four.addresses, six.addresses);
  const failure = four.failure ?? six.failure;
  if (found.length === 0 && failure !== null) throw failure;
  return found;
}

interface Answer {
  readonly addresses: readonly string[];
  readonly failure: DeliveryError | null;
}

async function unlessNone(asking: Promise<string[]>): Promise<Answer> {
  try {
    return { addresses: await asking, failure: null };
  } catch (error) {
    const code = (error as { code?: string }).code ?? "";
    if (NO_SUCH_NAME.has(code)) return { addresses: [], failure: null };
    const text = code === "ETIMEOUT" ? "name lookup timed out" : "name lookup failed";
    return { addresses: [], failure: new DeliveryError(text) };
  }
}

/** Alternates IPv4 and IPv6: a machine may have a route for only one of them. */
function inTurn(four: readonly string[], six: readonly string[]): string[] {
  const count = Math.max(four.length, six.length);
  return Array.from({ length: count }, (_, index) => [four[index], six[index]])
    .flat()
    .filter((address) => address !== undefined);
}

/** Empty when there is no such file. */
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "latin1");
  } catch {
    return "";
  }
}

/** The addresses that a hosts file has for a name. */
export function addressesIn(hosts: string, name: string): string[] {
  const wanted = bareHost(name);
  return linesOf(hosts).flatMap(([address = "", ...names]) => {
    if (!names.some((each) => bareHost(each) === wanted)) return [];
    return parseAddress(address) === null ? [] : [address];
  });
}

/** The last line of each kind wins. */
export function readSearch(resolv: string): Search {
  let search: Search = { domains: [], dotsMin: 1 };
  for (const [keyword, ...values] of linesOf(resolv)) {
    if (keyword === "search" || keyword === "domain") {
      search = { ...search, domains: values.slice(0, DOMAINS_MAX) };
    }
    if (keyword !== "options") continue;
    const dots = values.map((value) => /^ndots:(\d{1,2})$/.exec(value)?.[1]).find(Boolean);
    if (dots !== undefined) search = { ...search, dotsMin: Math.min(DOTS_MAX, Number(dots)) };
  }
  return search;
}

/** The names to look up in turn, until one has an address. */
export function candidatesOf(host: string, { domains, dotsMin }: Search): string[] {
  if (host.endsWith(".")) return [host.slice(0, -1)];
  const longer = domains.map((domain) => `${host}.${bareHost(domain)}`);
  const dots = host.split(".").length - 1;
  return dots >= dotsMin ? [host, ...longer] : [...longer, host];
}

function linesOf(text: string): string[][] {
  return text.split("\n").map((line) =>
    line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/),
  );
}

const HOSTS_FILE = "/etc/hosts";
const RESOLV_FILE = "/etc/resolv.conf";
const LOCALHOST = /^(?:.*\.)?localhost\.?$/i;
const NO_SUCH_NAME: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"]);
/** The second try takes twice as long. */
const TRY_MS = 1_000;
const TRIES = 2;
const DOMAINS_MAX = 6;
const DOTS_MAX = 15;
