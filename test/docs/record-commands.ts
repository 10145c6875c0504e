/** `npm run recording`: stores what each example prints, for docs/reference/commands.md. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house/sources.ts";
import { playExamples } from "./command-examples.ts";

const endings: (() => unknown)[] = [];
const outputs: Record<string, string> = {};
try {
  const scope = { after: (end: () => unknown) => void endings.push(end) };
  for await (const { name, output } of playExamples(scope)) outputs[name] = output;
  const path = join(ROOT, "test/docs/command-outputs.json");
  writeFileSync(path, `${JSON.stringify(outputs, null, 2)}\n`);
  console.log(path);
} finally {
  for (const end of endings.toReversed()) await end();
}
