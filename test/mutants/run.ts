/**
 * The runner behind `npm run mutants`: defects planted by hand, or with `--generated` a sample of those that
 * are made from the source. A word as argument plants only the defects whose names hold it.
 */
import { parseArgs } from "node:util";

import { runGenerated } from "./generated/run.ts";
import { runPlanted } from "./planted-run.ts";

const ROOMS = ["src/core/rules/**", "src/core/policy/**", "src/wire/**"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    generated: { type: "boolean", default: false },
    files: { type: "string", multiple: true, default: ROOMS },
    seed: { type: "string", default: "20261118" },
    count: { type: "string", default: "400" },
    minutes: { type: "string", default: "60" },
    workers: { type: "string", default: "2" },
    "per-file": { type: "string", default: "" },
    /** Further test files that may notice a defect, such as journeys, which are slow. */
    tests: { type: "string", multiple: true, default: [] },
  },
});

const wanted = positionals[0] ?? "";
const passed = values.generated ? await runGenerated(values) : await runPlanted(wanted);
process.exitCode = passed ? 0 : 1;
