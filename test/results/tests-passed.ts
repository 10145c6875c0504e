/** What `node --test --test-reporter=spec` printed, as the result of a proof. */
export function testsPassed(output: string): string {
  const names = [...output.matchAll(/✔ (.*) \(/g)].map((match) => match[1]);
  const named = names.join("; ");
  if (named.length <= NAMED_MAX) return named;
  return `${countOf(output, "pass")} tests in ${countOf(output, "suites")} suites passed`;
}

function countOf(output: string, what: string): string {
  return new RegExp(`^ℹ ${what} (\\d+)$`, "m").exec(output)![1]!;
}

/** More is read by nobody, and no table has room for it. */
const NAMED_MAX = 600;
