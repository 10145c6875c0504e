/** Deliveries of runs that were triggered in another dialect, whose headers have another prefix. */
import { withPrefix } from "../header-prefix.ts";
import type { Answering, HeaderView } from "./incoming.ts";
import { HEADERS } from "./protocol.ts";

/** Reads deliveries of the other dialect as ours, and answers them in theirs. */
export function inEitherDialect(answering: Answering): Answering {
  return async (incoming, environment) => {
    if (!isOfOther(incoming.headers)) return answering(incoming, environment);
    const headers = new TranslatedHeaders(incoming.headers);
    const answer = await answering({ ...incoming, headers, prefix: OTHER_PREFIX }, environment);
    return { ...answer, headers: withPrefix(answer.headers, OTHER_PREFIX) };
  };
}

/** A delivery is in one dialect as a whole: headers that others have added do not count. */
function isOfOther(headers: HeaderView): boolean {
  const has = (translate: (name: string) => string): boolean =>
    [HEADERS.signature, HEADERS.runId].some((name) => headers.has(translate(name)));
  return has(inOther) && !has((name) => name);
}

class TranslatedHeaders implements HeaderView {
  readonly #headers: HeaderView;

  constructor(headers: HeaderView) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    return this.#headers.get(inOther(name));
  }

  has(name: string): boolean {
    return this.#headers.has(inOther(name));
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const [name, value] of this.#headers) yield [name.replace(/^upstash-/, "svc-"), value];
  }
}

function inOther(name: string): string {
  return name.replace(/^Svc-/, OTHER_PREFIX);
}

const OTHER_PREFIX = "Upstash-";
