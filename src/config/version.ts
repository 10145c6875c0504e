import { readFileSync } from "node:fs";

/** The version in package.json, which is as far above the sources as above the built files. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;
