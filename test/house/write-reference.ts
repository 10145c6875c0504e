import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { readResults } from "../results/results.ts";
import { writeResultPages } from "../results/write-pages.ts";
import { answerTypes, componentSchemas } from "./answer-types.ts";
import { referencePages } from "./reference-pages.ts";
import { ROOT } from "./sources.ts";

/** `npm run reference`: writes docs/reference and the types of answers anew from the code, and the pages of results. */
const pages = Array.from(
  referencePages(),
  ([name, text]) => [`docs/reference/${name}`, text] as const,
);
for (const [path, text] of [...pages, ...answerTypes(componentSchemas())]) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
writeResultPages(readResults());
