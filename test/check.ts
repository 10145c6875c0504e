/** The runner behind `npm run check`. */
import { runStaticCheck, STATIC_CHECKS } from "./support/static-checks.ts";

for (const check of STATIC_CHECKS) {
  const complaint = await runStaticCheck(check);
  console.log(
    complaint === undefined ? `ok    ${check.name}` : `FAIL  ${check.name}\n${complaint}`,
  );
  if (complaint !== undefined) process.exitCode = 1;
}
