/** Where a connection leads. */
export interface Target {
  readonly isTls: boolean;
  /** A name or an address; an IPv6 address without brackets. */
  readonly hostname: string;
  readonly port: number;
}

export function targetOf(origin: string): Target {
  const { protocol, hostname, port } = new URL(origin);
  const isTls = protocol === "https:";
  return {
    isTls,
    hostname: hostname.startsWith("[") ? hostname.slice(1, -1) : hostname,
    port: port === "" ? (isTls ? 443 : 80) : Number(port),
  };
}
