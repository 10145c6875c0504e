/** The proxy through which every delivery leaves, when there is one. */
export interface EgressProxy {
  readonly isTls: boolean;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** `user:password`, a secret; null when the proxy asks for none. */
  readonly credentials: string | null;
}

/** Reads `http[s]://[user:password@]host[:port]`; null for anything else. */
export function parseEgressProxy(text: string): EgressProxy | null {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  if (url.hostname === "" || url.port === "0" || !/^\/?$/.test(url.pathname)) return null;
  if (url.search !== "" || url.hash !== "") return null;
  const credentials = credentialsOf(url);
  if (credentials === undefined) return null;
  const isTls = url.protocol === "https:";
  return {
    isTls,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
    credentials,
  };
}

/** Undefined when they cannot be sent. */
function credentialsOf({ username, password }: URL): string | null | undefined {
  if (username === "" && password === "") return null;
  try {
    const [user, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
    return user.includes(":") || CONTROL.test(user + secret) ? undefined : `${user}:${secret}`;
  } catch {
    return undefined;
  }
}

const CONTROL = /\p{Cc}/u;
