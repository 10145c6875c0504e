import { startPostgres } from "../support/postgres-server.ts";
import type { Mutant } from "./mutant.ts";
import { PLANTED } from "./planted.ts";
import { Workshop } from "./workshop.ts";

const CONCURRENCY = 2;

/** Puts known defects into a copy of the code, one at a time, and demands that the suites notice. */
export async function runPlanted(wanted: string): Promise<boolean> {
  const mutants = PLANTED.filter(({ name }) => name.includes(wanted));
  const server = await startPostgres();
  process.env["TEST_POSTGRES_URL"] = server.url;
  try {
    await requireSound(mutants);
    const caught = await inParallel(mutants, tryMutant);
    const count = caught.filter(Boolean).length;
    console.log(`caught ${count} / planted ${mutants.length}`);
    return count === mutants.length && count > 0;
  } finally {
    await server.stop();
  }
}

/** Suites that fail without any defect would catch everything. */
async function requireSound(mutants: readonly Mutant[]): Promise<void> {
  const suites = new Map(
    mutants.flatMap(({ suites: files, only }) =>
      files.map((suite) => [`${suite} ${only}`, { suite, only }] as const),
    ),
  );
  const problems = await inParallel([...suites.values()], async ({ suite, only }, workshop) => {
    const { failed, passed } = await workshop.sound([suite], only);
    if (failed.length > 0) return `${suite} fails by itself: ${failed.join("; ")}`;
    return passed === 0 ? `${suite} holds no test for ${only ?? "anything"}` : null;
  });
  const found = problems.filter((problem) => problem !== null);
  if (found.length > 0) throw new Error(found.join("\n"));
  console.log(`sound ${suites.size} suites without a defect`);
}

async function tryMutant(mutant: Mutant, workshop: Workshop): Promise<boolean> {
  try {
    const { failed, output } = await workshop.judge(mutant);
    const [first] = failed;
    if (first === undefined) console.log(`SURVIVED  ${mutant.name}\n${output.slice(-2_000)}`);
    else console.log(`caught    ${mutant.name}\n          by: ${first}`);
    return first !== undefined;
  } catch (error) {
    // The code has changed under it: the defect must be put in anew.
    console.log(`NOT PUT IN  ${mutant.name}\n          ${String(error)}`);
    return false;
  }
}

/** Works through a list with a few workshops, each with a copy of its own. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item, workshop: Workshop) => Promise<Result>,
): Promise<Result[]> {
  const waiting = items.entries();
  const results: Result[] = [];
  async function worker(): Promise<void> {
    const workshop = new Workshop();
    try {
      for (const [index, item] of waiting) results[index] = await work(item, workshop);
    } finally {
      workshop.close();
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}
