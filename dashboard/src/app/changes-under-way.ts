/** Changes that the server has not answered yet. One that is pressed again meanwhile is not made twice. */
export interface Change {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface UnderWay {
  readonly change: Change;
  readonly answer: Promise<unknown>;
}

const underWay = new Set<UnderWay>();

/** Begins it, or waits for the same change that has begun. */
export function beginOnce<Answer>(change: Change, begin: () => Promise<Answer>): Promise<Answer> {
  for (const { change: begun, answer } of underWay) {
    // The same change has the same type of answer.
    if (isSame(begun, change)) return answer as Promise<Answer>;
  }
  const answer = begin();
  const added = { change, answer };
  underWay.add(added);
  const leave = (): void => void underWay.delete(added);
  answer.then(leave, leave);
  return answer;
}

function isSame(one: Change, other: Change): boolean {
  return (
    one.method === other.method &&
    one.path === other.path &&
    JSON.stringify(one.headers) === JSON.stringify(other.headers) &&
    isSameBody(one.body, other.body)
  );
}

function isSameBody(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (one instanceof Uint8Array && other instanceof Uint8Array) {
    return one.length === other.length && one.every((byte, at) => byte === other[at]);
  }
  return JSON.stringify(one) === JSON.stringify(other);
}
