/** Headers, one a line. What the sender hid is shown with a lock. */
import { Icon } from "./icon.tsx";
import { visibleText } from "./visible-text.ts";

type Headers = Readonly<Record<string, readonly string[]>>;

export function HeaderList({
  headers,
  countMax,
}: {
  readonly headers: Headers;
  readonly countMax?: number;
}) {
  const pairs = pairsOf(headers);
  const shown = pairs.slice(0, countMax);
  if (shown.length === 0)
    return countMax === undefined ? <p class="code muted">No headers</p> : null;
  return (
    <dl class="kv code pad split-v">
      {shown.map(([name, value], index) => {
        const hash = /^REDACTED:([0-9a-f]{64})$/.exec(value)?.[1];
        return (
          <>
            <dt key={`${name}${index}`}>{name.toLowerCase()}</dt>
            {hash === undefined ? (
              <dd title={visibleText(value)}>{visibleText(value)}</dd>
            ) : (
              <dd class="row">
                <Icon name="lock" />
                <span class="cut muted">redacted, sha256 {hash.slice(0, 8)}…</span>
              </dd>
            )}
          </>
        );
      })}
    </dl>
  );
}

export function headerText(headers: Headers): string {
  return pairsOf(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function pairsOf(headers: Headers): [string, string][] {
  return Object.entries(headers).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
}
