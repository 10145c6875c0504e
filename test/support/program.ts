/** The program that tests start as a process. */
import { fileURLToPath } from "node:url";

/** What `npm start` runs. */
export const SOURCE = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** Where the modules of the source were joined before, it is the joined program. */
export const PROGRAM = process.env["TEST_PROGRAM"] ?? SOURCE;
