import { mkdirSync, writeFileSync } from "node:fs";

import { readResults } from "../results/results.ts";
import { writeResultPages } from "../results/write-pages.ts";
import { referencePages } from "./reference-pages.ts";

/** `npm run reference`: writes docs/reference anew from the tables of the code, and the pages of results. */
const folder = new URL("../../docs/reference/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of referencePages()) writeFileSync(new URL(name, folder), text);
writeResultPages(readResults());
