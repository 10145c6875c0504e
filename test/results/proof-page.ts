import type { ProofResult, Results } from "./results.ts";

/** docs/internals/proof.md: one row for each proof, with when and where it ran. */
export function proofPage({ proofs }: Pick<Results, "proofs">): string {
  const rows = Object.entries(proofs).map(([name, proof]) => line(name, proof));
  return [HEAD, ...rows, ""].join("\n");
}

function line(name: string, proof: ProofResult | null): string {
  const { result, date, commit, machine } = proof ?? NOT_RUN;
  const text = result.replaceAll(/\s+/g, " ").slice(0, RESULT_MAX).replaceAll("|", "\\|");
  return `| ${[name, text, date, commit, machine].join(" | ")} |`;
}

const NOT_RUN: ProofResult = { result: "not run yet", date: "", commit: "", machine: "" };

/** What a failed proof says may be a whole stack. */
const RESULT_MAX = 1_000;

const HEAD = `# Proof

\`npm run prove\` writes [its results](results.json) and this page. It replaces those of the proofs that it ran.
[What each proof does](../explanation/proofs.md).

| Proof | Result | Date | Commit | Machine |
| --- | --- | --- | --- | --- |`;
