import { classifyAddress, parseAddress } from "./address.ts";

/** Whether a host name or address always means this machine, whatever a name server answers. */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  const plain = name.endsWith(".") ? name.slice(0, -1) : name;
  if (plain === "localhost" || plain.endsWith(".localhost")) return true;
  const address = parseAddress(name);
  return address !== null && classifyAddress(address) === "loopback";
}
