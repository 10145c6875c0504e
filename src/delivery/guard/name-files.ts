/** Reads the files in which a machine configures name resolution. */

import { parseAddress } from "../../core/policy/egress/address.ts";
import { bareHost } from "../../core/policy/egress/egress.ts";

/** How a relative name is completed. */
export interface Search {
  readonly domains: readonly string[];
  /** With this many dots, a name is first tried as it is. */
  readonly dotsMin: number;
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

const DOMAINS_MAX = 6;
const DOTS_MAX = 15;
