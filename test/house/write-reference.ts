import { mkdirSync, writeFileSync } from "node:fs";

import { referencePages } from "./reference-pages.ts";

/** `npm run reference`: writes docs/reference anew from the tables of the code. */
const folder = new URL("../../docs/reference/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of referencePages()) writeFileSync(new URL(name, folder), text);
