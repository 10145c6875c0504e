/** Which headers may be sent with a message: valid in HTTP, and not reserved for the service. */

/** Why this header can never be sent, or null. The HTTP client accepts every header that passes. */
export function headerProblem(name: string, value: string): string | null {
  if (!NAME.test(name)) return `header name ${shown(name)} is not a valid HTTP token`;
  if (!isHeaderValue(value)) {
    return `header ${name}: the value may hold visible Latin-1 characters, with blanks only between them`;
  }
  const lowerName = name.toLowerCase();
  if (CONNECTION_NAMES.has(lowerName) || lowerName.startsWith("proxy-")) {
    return `header ${name}: belongs to the connection and cannot be forwarded`;
  }
  return null;
}

/** Why a publisher may not forward this header, or null. Only the service writes its own. */
export function forwardProblem(name: string, value: string): string | null {
  const problem = headerProblem(name, value);
  if (problem !== null) return problem;
  return isReserved(name) ? `header ${name}: is set by the service and cannot be forwarded` : null;
}

/** True for text that can be the value of a header unchanged. */
export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

/** The service's own names, except the few that a publisher may send through it on purpose. */
function isReserved(name: string): boolean {
  const match = OWN_NAME.exec(name);
  if (match === null) return false;
  const rest = match[1]!.toLowerCase();
  return rest !== "label" && !(rest.startsWith("workflow-") && rest.length > "workflow-".length);
}

function shown(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;

/** Bytes above 0x7f are allowed: UTF-8 arrives as bytes, and leaves unchanged. */
const VALUE = /^(?:[\x21-\x7e\x80-\xff]+(?:[\t ]+[\x21-\x7e\x80-\xff]+)*)?$/;

const OWN_NAME = /^(?:svc|upstash)-(.*)$/i;

const CONNECTION_NAMES: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
